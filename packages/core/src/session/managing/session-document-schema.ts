import * as z from 'zod/mini';
import type { MigrationChain } from '../../graph/document/migrate-chain.ts';
import type { StateDocument } from '../../graph/document/document.ts';
import type { AgentState } from '../../graph/types.ts';
import type { DocumentFiles } from './document-files.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';

/** The `$schema` of an exported session. */
export const documentSchemaName = 'vitrine/session';

/** The version of exported sessions that this library writes and reads. */
export const sessionDocumentVersion = 1;

/** The migrations of exported sessions: one step per version. */
export const documentChain: MigrationChain = {
  kind: 'session document',
  field: 'version',
  version: sessionDocumentVersion,
  steps: {},
};

/** A session as one JSON document: the result of `exportSession`, and the input of `importSession`. */
export type SessionDocument = {
  readonly $schema: typeof documentSchemaName;
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
  /** The state, with all events folded in. */
  readonly state: StateDocument;
  /** The inactive branches. */
  readonly branches: readonly {
    readonly id: string;
    readonly leftAt: number;
    readonly state: StateDocument;
  }[];
  /** The messages that checkpoints reference. */
  readonly messages: readonly object[];
  /** The state before each turn. Messages are ranges in `messages`: first, count, first, count … */
  readonly checkpoints: readonly {
    readonly messageId: string;
    readonly sections: readonly { readonly name: string; readonly messages: readonly number[] }[];
    readonly plugins: AgentState['plugins'];
  }[];
  /** The executions before the current one, oldest first. */
  readonly runs: readonly StateDocument[];
  /** The stored files of the session; absent when there are none. */
  readonly files?: DocumentFiles;
};

const count = z.int().check(z.nonnegative());
const time = z.int();
const json = z.looseObject({});
const queued = z.looseObject({ id: z.string(), text: z.string(), isSteered: z.boolean() });

/** The fields of every version, to see whether this library can read it. */
export const anyDocumentSchema = z.object({ $schema: z.literal(documentSchemaName), version: count });

export const sessionDocumentSchema: z.ZodMiniType<SessionDocument> = z.object({
  $schema: z.literal(documentSchemaName),
  version: count,
  exportedAt: time,
  id: z.string(),
  title: z.string(),
  agentName: z.string(),
  parentId: z.nullable(z.string()),
  createdAt: time,
  updatedAt: time,
  queue: z.array(queued),
  draft: z.string(),
  state: json,
  branches: z.array(z.object({ id: z.string(), leftAt: time, state: json })),
  messages: z.array(json),
  checkpoints: z.array(
    z.object({
      messageId: z.string(),
      sections: z.array(z.object({ name: z.string(), messages: z.array(count) })),
      plugins: json,
    }),
  ),
  runs: z.array(json),
  files: z.optional(z.record(z.string(), z.object({ mediaType: z.string(), data: z.string() }))),
}) as unknown as z.ZodMiniType<SessionDocument>;
