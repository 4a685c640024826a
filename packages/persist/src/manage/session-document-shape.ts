import * as is from '@vitrine/core/internal/kit/check';
import { ownJson } from '@vitrine/core/internal/graph/document/document';
import { type MigrationChain, migrateChain } from '@vitrine/core/internal/graph/document/migrate-chain';
import { checkJson, readJsonAs } from '@vitrine/core/internal/graph/document/shape';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { QueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import { headFields } from '../rows/head-shape.ts';
import { sessionFormat } from '../rows/format.ts';

/** The `$schema` of an exported session. */
export const documentSchemaName = 'vitrine/session';

/** A session as one JSON document: the result of `exportSession`, and the input of `importSession`. */
export type SessionDocument = {
  readonly $schema: 'vitrine/session';
  /** The format of the rows, the same as in a store. */
  readonly version: number;
  /** The time of the export, in Unix milliseconds as all times here. */
  readonly exportedAt: number;
  readonly id: string;
  readonly title: string;
  readonly agentName: string;
  readonly parentId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly queue: readonly QueuedMessage[];
  readonly draft: string;
  /** The name of the row of the session, which names its state, branches, checkpoints and earlier runs. */
  readonly root: string;
  /** The rows as a store keeps them, by name. All events are folded in. */
  readonly rows: Readonly<Record<string, JsonValue>>;
  /** The stored files of the session; absent when there are none. */
  readonly files?: Readonly<Record<string, { readonly mediaType: string; readonly data: string }>>;
};

const anyFields = { $schema: is.literal(documentSchemaName), version: is.count };
/** The fields of every version, to see whether this library can read it. */
const anyDocument = is.object<Pick<SessionDocument, '$schema' | 'version'>>(anyFields);
const sessionDocument = is.object<SessionDocument>({
  ...anyFields,
  exportedAt: is.timestamp,
  ...headFields,
  root: is.text,
  rows: is.record(is.json),
  files: is.optional(is.record(is.object({ mediaType: is.text, data: is.text }))),
});

const documentChain: MigrationChain = {
  kind: 'session document',
  field: 'version',
  version: sessionFormat,
  steps: {},
};

/** Validates a copy of a document; its rows are validated when they are read. @throws AgentError as `importSession` */
export function checkDocument(given: unknown): SessionDocument {
  checkJson(anyDocument, given, '');
  return readJsonAs(sessionDocument, ownJson(migrateChain(documentChain, given, '')), '');
}
