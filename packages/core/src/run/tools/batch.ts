import type { Tool } from '../../agent/tool.ts';
import type { Run } from '../run.ts';

/** The calls of one step while they run. What they are is in the state; here is only what is in flight. */
export type Batch = {
  readonly run: Run;
  readonly tools: readonly Tool[];
  readonly inFlight: Map<string, Promise<void>>;
  /** Calls are prepared one after the other, in call order; they run side by side. */
  turn: Promise<unknown>;
  /** Set by a hook that has blocked a call together with those after it. */
  isClosed: boolean;
  /** Set when something ends the whole step; calls that have not started stay unrun. */
  fatal: { readonly thrown: unknown } | null;
};

export function createBatch(run: Run, tools: readonly Tool[]): Batch {
  return { run, tools, inFlight: new Map(), turn: Promise.resolve(), isClosed: false, fatal: null };
}
