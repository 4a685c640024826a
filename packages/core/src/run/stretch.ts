import type { AgentState } from '../graph/types.ts';
import { activeMs } from '../graph/execution-state.ts';
import { type Run, type Stretch } from './run.ts';
import type { Env } from '../graph/env.ts';

/** Differences below this may be drift between the two clocks. */
const leastAsleepMs = 1000;

export function stretchFrom(env: Env, workedMs: number): Stretch {
  return { at: env.now(), monotonic: env.monotonic(), workedMs };
}

/** Milliseconds of work at the step in flight, without the time that it waited for a person. */
export function workedMs({ env, stretch }: Run): number {
  return stretch.workedMs + env.monotonic() - stretch.monotonic;
}

/**
 * The time that the machine slept during this stretch: the monotonic clock stops then and the wall clock
 * does not. A clock that is set forward counts as sleep too.
 */
export function asleep({ env, stretch }: Run): { readonly asleepMs?: number } {
  const asleepMs = Math.round(env.now() - stretch.at - (env.monotonic() - stretch.monotonic));
  return asleepMs < leastAsleepMs ? {} : { asleepMs };
}

/** Milliseconds of work at the step in flight of a state that nobody runs at the moment. */
export function workedBefore(state: AgentState): number {
  const { execution, updatedAt } = state;
  if (execution === null || execution.currentStep === null) return 0;
  const { stepExecutions, currentStepStartedAt, waitingSince } = execution;
  const end = waitingSince ?? updatedAt;
  const finished = stepExecutions.reduce((sum, { durationMs }) => sum + durationMs, 0);
  // One step may contain several waits. Other time between steps is negligible.
  const worked = activeMs(state, end) - finished;
  return Math.max(0, Math.min(worked, end - (currentStepStartedAt ?? end)));
}
