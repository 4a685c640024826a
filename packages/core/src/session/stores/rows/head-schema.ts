import * as z from 'zod/mini';
import type { QueuedMessage } from '../queued-message.ts';
import type { SessionHead } from '../session-store.ts';

/** The version of the format of stored sessions: heads, rows and records. */
export const sessionFormat = 1;

/** What the head of a stored session says. */
export type HeadData = {
  readonly format: number;
  /** Made anew with every head, so that no two are alike. */
  readonly stamp: string;
  /** The session as it was with the records that there were when the head was written; each one since raises the version. */
  readonly summary: SessionHead;
  readonly records: number;
  /** The row that the rest hangs on. */
  readonly root: string;
  /** The journal, and how many records of it the snapshot holds. */
  readonly journal: { readonly id: string; readonly records: number };
};

const count = z.int().check(z.nonnegative());
const isQueued = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'id' in value && 'text' in value && 'isSteered' in value;

/** What every version of a head has: enough to see whether this one can read it. */
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
}) as z.ZodMiniType<HeadData>;
