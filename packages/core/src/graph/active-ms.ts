import type { Timestamp } from './env.ts';
import type { AgentState } from './types.ts';

/**
 * Milliseconds that the execution has worked until `now`, or until its end: time that it waited for a person, or lay
 * interrupted, does not count. 0 before it runs; a clock that was set back takes nothing away.
 */
export function activeMs(state: AgentState, now: Timestamp): number {
  const { execution } = state;
  if (execution === null || execution.status === 'pending') return 0;
  const { startedAt, completedAt, waitedMs, waitingSince } = execution;
  // No event is older than the last change, so neither is the present.
  const end = completedAt ?? Math.max(now, state.updatedAt);
  const waiting = waitingSince === null ? 0 : Math.max(0, end - waitingSince);
  return Math.max(0, end - startedAt - waitedMs - waiting);
}
