import { AgentStopError, isAgentStopError } from '../graph/agent-stop-error.ts';
import { of as signalOf, type StopSignal } from '../graph/stop-signal.ts';
import type { Env } from '../graph/env.ts';
import type { ExecutionBudget } from '../graph/execution-budget.ts';
import { spentOf } from '../graph/limits.ts';
import type { AgentState } from '../graph/types.ts';
import { longestTimerMs } from '../kit/async.ts';

type RunSignal = {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly release: () => void;
};

type Limited = { signal: AbortSignal | null; budget: ExecutionBudget; state: AgentState; env: Env };

/**
 * Creates the signal of one run. It aborts with the caller's signal and when time is up; its reason always
 * carries a stop signal.
 */
export function linkedAbort(limited: Limited): RunSignal {
  const { signal, env } = limited;
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(toStopError(reason, env));
  const onAbort = (): void => abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = startTimer(limited, (limit) => abort(new AgentStopError(timeUp(limited, limit))));
  return {
    signal: controller.signal,
    abort,
    release() {
      signal?.removeEventListener('abort', onAbort);
      cancelTimer();
    },
  };
}

/** Starts a timer for the time limit that is reached first. */
function startTimer(
  { budget, state, env }: Limited,
  onTimeUp: (limit: 'maxSeconds' | 'deadline') => void,
): () => void {
  const { maxSeconds, deadline } = budget;
  const isRunning = state.execution?.status === 'in-progress';
  // Nobody has run the agent since its last change: the page was closed, or it waited for a person.
  const used = isRunning ? spentOf(state, state.updatedAt).seconds : 0;
  const bySeconds = maxSeconds === null ? Infinity : (maxSeconds - used) * 1000;
  const byDeadline = deadline === null ? Infinity : deadline - env.now();
  const delayMs = Math.min(bySeconds, byDeadline);
  const end = (): void => onTimeUp(byDeadline < bySeconds ? 'deadline' : 'maxSeconds');
  if (delayMs > longestTimerMs) return () => undefined;
  if (delayMs > 0) return env.schedule(delayMs, end);
  // The time is already used up. The check before a step reports it, but a resumed step has no such check.
  if (isRunning && state.execution?.currentStep !== null) end();
  return () => undefined;
}

function timeUp({ budget, env }: Limited, limit: 'maxSeconds' | 'deadline'): StopSignal {
  const value = budget[limit];
  const what = limit === 'deadline' ? `the deadline ${new Date(value ?? 0).toISOString()}` : `${value} s`;
  const init = { message: `Time limit reached: ${what}`, source: 'budget', context: { [limit]: value } };
  return signalOf('time-limit-reached', init, env);
}

function toStopError(reason: unknown, env: Env): AgentStopError {
  if (isAgentStopError(reason)) return reason;
  const message = typeof reason === 'string' ? reason : 'The run was aborted';
  return new AgentStopError(signalOf('user-requested', { message, source: 'abort' }, env));
}
