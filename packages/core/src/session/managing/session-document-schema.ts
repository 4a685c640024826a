import * as z from 'zod/mini';
import type { MigrationChain } from '../../graph/document/migrate-chain.ts';
import type { StateDocument } from '../../graph/document/document.ts';
import type { AgentState } from '../../graph/types.ts';
import type { DocumentFiles } from './document-files.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';

/** What the `$schema` of an exported session says. */
export const documentSchemaName = 'vitrine/session';

/** The version of exported sessions that this library writes and reads. */
export const sessionDocumentVersion = 1;

/** How exported sessions of older versions are read: one step per version. */
export const documentChain: MigrationChain = {
  kind: 'session document',
  field: 'version',
  version: sessionDocumentVersion,
  steps: {},
};

/** A session as one JSON document: what `exportSession` gives and `importSession` takes. */
export type SessionDocument = {
  readonly $schema: typeof documentSchemaName;
  readonly version: number;
  /** Unix milliseconds, as all times here. */
  readonly exportedAt: number;
  readonly id: string;
  readonly title: string;
  readonly agentName: string;
  readonly parentId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly queue: readonly QueuedMessage[];
  readonly draft: string;
  /** With all events folded in. */
  readonly state: StateDocument;
  /** The lines that were left. */
  readonly branches: readonly {
    readonly id: string;
    readonly leftAt: number;
    readonly state: StateDocument;
  }[];
  /** The messages that checkpoints speak of. */
  readonly messages: readonly object[];
  /** What stood before each turn; messages as runs of places in `messages`: first, count, first, count … */
  readonly checkpoints: readonly {
    readonly messageId: string;
    readonly sections: readonly { readonly name: string; readonly messages: readonly number[] }[];
    readonly plugins: AgentState['plugins'];
  }[];
  /** The executions before the present one, oldest first. */
  readonly runs: readonly StateDocument[];
  /** The stored files that all of it speaks of; left out where there are none. */
  readonly files?: DocumentFiles;
};

const count = z.int().check(z.nonnegative());
const time = z.int();
const json = z.looseObject({});
const queued = z.looseObject({ id: z.string(), text: z.string(), isSteered: z.boolean() });

/** What every version has: enough to see whether this one can read it. */
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
