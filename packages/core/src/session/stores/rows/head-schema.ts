import * as z from 'zod/mini';
import { ownJson } from '../../../graph/document/parts.ts';
import type { QueuedMessage } from '../queued-message.ts';
import type { SessionHead } from '../session-store.ts';
import { leaf, type Row } from './row.ts';
import { damaged, type RowReader } from './row-reader.ts';
import type { Timestamp } from '../../../graph/env.ts';
import type { OutboxCommand } from '../session-outbox.ts';

/**
 * The length in characters of JSON above which a draft, queue or outbox is a row of its own, because lists
 * read every head.
 */
const longestInHead = 4096;

/** The names of the rows with the long parts of a head. The head itself is empty for such a part. */
export type HeadRows = { readonly draft?: string; readonly queue?: string };

/** A head, and the rows that hold its long parts. */
export type HeadParts = {
  readonly summary: SessionHead;
  readonly rows: HeadRows;
  readonly long: readonly Row[];
};

/** Creates a row for a value that is too long for a head; null for a short one. */
export function longRow(value: unknown): Row | null {
  const row = leaf('hed', value);
  return (row.text?.length ?? 0) > longestInHead ? row : null;
}

/** Moves the long parts of a head into rows. */
export function headParts(head: SessionHead): HeadParts {
  const draft = longRow(head.draft);
  const queue = longRow(ownJson(head.queue));
  return {
    summary: { ...head, ...(draft && { draft: '' }), ...(queue && { queue: [] }) },
    rows: { ...(draft && { draft: draft.name }), ...(queue && { queue: queue.name }) },
    long: [draft, queue].filter((row) => row !== null),
  };
}

/** The rows that a new head adds, and those of the former head to drop. */
export function changedHeadRows(
  before: HeadRows | undefined,
  { rows, long }: Pick<HeadParts, 'rows' | 'long'>,
): { readonly put: ReadonlyMap<string, string>; readonly drop: readonly string[] } {
  const [old, names] = [Object.values(before ?? {}), Object.values(rows)];
  const come = long.filter(({ name }) => !old.includes(name));
  return {
    put: new Map(come.map(({ name, text }) => [name, text ?? ''])),
    drop: old.filter((name) => !names.includes(name)),
  };
}

/**
 * Returns the draft and the queue of a head, read from their rows where they are long.
 * @throws AgentError `state-invalid` for a row that is missing or damaged.
 */
export function openHeadRows(
  summary: SessionHead,
  { draft, queue }: HeadRows,
  reader: RowReader,
): Pick<SessionHead, 'draft' | 'queue'> {
  return {
    draft: draft === undefined ? summary.draft : openDraft(draft, reader),
    queue: queue === undefined ? summary.queue : (openLongList(queue, reader) as readonly QueuedMessage[]),
  };
}

/** The list that a row of a head holds. @throws AgentError `state-invalid` */
export function openLongList(name: string, reader: RowReader): readonly unknown[] {
  const { body } = reader.open(name);
  if (!Array.isArray(body)) throw damaged(name, 'holds no list');
  return body;
}

function openDraft(name: string, reader: RowReader): string {
  const { body } = reader.open(name);
  if (typeof body !== 'string') throw damaged(name, 'holds no text');
  return body;
}

/** The version of the format of stored sessions: heads, rows and records. */
export const sessionFormat = 1;

/** The content of the head of a stored session. */
export type HeadData = {
  readonly format: number;
  /** A random id, new with every head, so that no two heads are equal. */
  readonly stamp: string;
  /** The summary at the time of the head; each later record raises the version. */
  readonly summary: SessionHead;
  readonly records: number;
  /** The name of the root row. */
  readonly root: string;
  /** The journal, and the number of its records that the snapshot includes. */
  readonly journal: { readonly id: string; readonly records: number };
  /** The rows that hold draft and queue where they are long. */
  readonly rows?: HeadRows;
  /** The last writer epoch that was taken; absent for 0. */
  readonly epoch?: number;
  /** The ids of the last commands taken, oldest first; absent for none. */
  readonly taken?: readonly string[];
};

/** The head of an id without a session: it was removed, or an epoch was taken before its first save. */
export type VacantHeadData = {
  readonly format: number;
  readonly stamp: string;
  readonly vacant: {
    readonly id: string;
    /** The last epoch under this id. */
    readonly epoch: number;
    /** The last version under this id; a new session begins above it. */
    readonly version: number;
    readonly at: Timestamp;
    /** The time of the removal; null for a session that was never saved. */
    readonly removedAt: Timestamp | null;
  };
};

/** The head of an outbox. */
export type OutboxData = {
  readonly format: number;
  readonly stamp: string;
  readonly outbox: {
    /** The id of the session. */
    readonly id: string;
    readonly at: Timestamp;
    readonly commands: readonly OutboxCommand[];
    /** The row that holds the commands where they are long: then there are none here. */
    readonly row?: string;
  };
};

const count = z.int().check(z.nonnegative());
const isQueued = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'id' in value && 'text' in value && 'isSteered' in value;

/** The part that heads of all versions share, to see whether this version can read one. */
export const anyHeadSchema = z.object({ format: count });

export const headSchema: z.ZodMiniType<HeadData> = z.object({
  format: count,
  stamp: z.string(),
  summary: z.object({
    id: z.string(),
    version: count,
    title: z.string(),
    agentName: z.string(),
    parentId: z.nullable(z.string()),
    createdAt: z.int(),
    updatedAt: z.int(),
    status: z.enum(['active', 'suspended', 'completed', 'broken', 'newer', 'deleted']),
    executionStatus: z.nullable(z.enum(['pending', 'in-progress', 'completed', 'stopped', 'failed'])),
    deletedAt: z.optional(z.int()),
    queue: z.array(z.custom<QueuedMessage>(isQueued, 'expected a queued message')),
    draft: z.string(),
  }),
  records: count,
  root: z.string(),
  journal: z.object({ id: z.string(), records: count }),
  rows: z.optional(z.object({ draft: z.optional(z.string()), queue: z.optional(z.string()) })),
  epoch: z.optional(count),
  taken: z.optional(z.array(z.string())),
}) as z.ZodMiniType<HeadData>;

export const vacantHeadSchema: z.ZodMiniType<VacantHeadData> = z.object({
  format: count,
  stamp: z.string(),
  vacant: z.object({
    id: z.string(),
    epoch: count,
    version: count,
    at: z.int(),
    removedAt: z.nullable(z.int()),
  }),
});

export const outboxSchema: z.ZodMiniType<OutboxData> = z.object({
  format: count,
  stamp: z.string(),
  outbox: z.object({
    id: z.string(),
    at: z.int(),
    commands: z.array(z.looseObject({ id: z.string() })),
    row: z.optional(z.string()),
  }),
}) as unknown as z.ZodMiniType<OutboxData>;
