import type { Tool } from '../../agent/tool.ts';
import type { Run } from '../run.ts';

/** The calls of one step that are in flight. Their data is in the state. */
export type Batch = {
  readonly run: Run;
  readonly tools: readonly Tool[];
  readonly inFlight: Map<string, Promise<void>>;
  /** Index of the first call that was not considered yet. */
  next: number;
  /** Indexes of calls to consider again: each was answered, or its run has just ended. */
  readonly again: Set<number>;
  /**
   * Settles when the hooks of earlier calls are done. Hooks run in call order; schemas, rules and tools run
   * side by side.
   */
  turn: Promise<unknown>;
  /** Settles when every started call is prepared. */
  prepared: Promise<unknown>;
  /** Set by a hook that blocked a call and those after it. */
  isClosed: boolean;
  /** Set when an error ends the whole step; calls that have not started are not run. */
  fatal: { readonly thrown: unknown } | null;
};

export function createBatch(run: Run, tools: readonly Tool[]): Batch {
  const [turn, prepared] = [Promise.resolve(), Promise.resolve()];
  return {
    run,
    tools,
    inFlight: new Map(),
    next: 0,
    again: new Set(),
    turn,
    prepared,
    isClosed: false,
    fatal: null,
  };
}
