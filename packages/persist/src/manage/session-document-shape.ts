import * as z from 'zod/mini';
import { ownJson, validate } from '@vitrine/core/internal/graph/document/document';
import { type MigrationChain, migrateChain } from '@vitrine/core/internal/graph/document/migrate-chain';
import { json, timestamp } from '@vitrine/core/internal/graph/document/shape';
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

/** The fields of every version, to see whether this library can read it. */
const anyDocument = z.object({
  $schema: z.literal(documentSchemaName),
  version: z.int().check(z.nonnegative()),
});
const sessionDocument: z.ZodMiniType<SessionDocument> = z.object({
  ...anyDocument.shape,
  exportedAt: timestamp,
  ...headFields,
  root: z.string(),
  rows: z.catchall(z.object({}), json),
  files: z.optional(z.record(z.string(), z.object({ mediaType: z.string(), data: z.string() }))),
}) as unknown as z.ZodMiniType<SessionDocument>;

const documentChain: MigrationChain = {
  kind: 'session document',
  field: 'version',
  version: sessionFormat,
  steps: {},
};

/** Validates a copy of a document; its rows are validated when they are read. @throws AgentError as `importSession` */
export function checkDocument(given: unknown): SessionDocument {
  validate(anyDocument, given, '');
  return validate(sessionDocument, ownJson(migrateChain(documentChain, given, '')), '');
}
