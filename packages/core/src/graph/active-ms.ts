import type { Timestamp } from './env.ts';
import type { AgentState } from './types.ts';

/**
 * Milliseconds of work of the execution until `now`, or until its end. Waiting for a person, interruptions and sleep
 * of the machine do not count; sleep is subtracted when its step ends. The result is 0 before the execution runs, and
 * a clock that was set back does not lower it.
 */
export function activeMs(state: AgentState, now: Timestamp): number {
  const { execution } = state;
  if (execution === null || execution.status === 'pending') return 0;
  const { startedAt, completedAt, waitedMs, waitingSince } = execution;
  // No event is older than the last change, so `now` cannot be older either.
  const end = completedAt ?? Math.max(now, state.updatedAt);
  const waiting = waitingSince === null ? 0 : Math.max(0, end - waitingSince);
  return Math.max(0, end - startedAt - waitedMs - waiting);
}
