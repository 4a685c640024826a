import { AgentStopError, isAgentStopError } from '../graph/agent-stop-error.ts';
import type { Env } from '../graph/env.ts';
import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import { spentOf } from '../graph/limits/spent-of.ts';
import { of as signalOf, type StopSignal } from '../graph/stop-signal.ts';
import type { AgentState } from '../graph/types.ts';

/** The longest delay that timers keep; a limit beyond it is left to the checks between steps. */
const maxTimerMs = 2 ** 31 - 1;

type RunSignal = {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly release: () => void;
};

type Limited = { signal: AbortSignal | null; budget: ExecutionBudget; state: AgentState; env: Env };

/** The signal of one run: aborted with the caller's, and when time is up. Its reason always carries a stop signal. */
export function linkedAbort(limited: Limited): RunSignal {
  const { signal, env } = limited;
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(toStopError(reason, env));
  const onAbort = (): void => abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = startTimer(limited, () => abort(new AgentStopError(timeUp(limited))));
  return {
    signal: controller.signal,
    abort,
    release() {
      signal?.removeEventListener('abort', onAbort);
      cancelTimer();
    },
  };
}

function startTimer({ budget, state, env }: Limited, onTimeUp: () => void): () => void {
  const { maxSeconds, deadline } = budget;
  const isRunning = state.execution?.status === 'in-progress';
  const used = isRunning ? spentOf(state, env.now()).seconds : 0;
  const bySeconds = maxSeconds === null ? Infinity : (maxSeconds - used) * 1000;
  const byDeadline = deadline === null ? Infinity : deadline - env.now();
  const delayMs = Math.min(bySeconds, byDeadline);
  if (delayMs > maxTimerMs) return () => undefined;
  if (delayMs > 0) return env.schedule(delayMs, onTimeUp);
  // Used up already: the check before a step reports it, but a step that is taken up again has none before it.
  if (isRunning && state.execution?.currentStep !== null) onTimeUp();
  return () => undefined;
}

function timeUp({ budget, env }: Limited): StopSignal {
  const { maxSeconds, deadline } = budget;
  const limit =
    maxSeconds === null ? `the deadline ${new Date(deadline ?? 0).toISOString()}` : `${maxSeconds} s`;
  const init = {
    message: `Time limit reached: ${limit}`,
    source: 'budget',
    context: { maxSeconds, deadline },
  };
  return signalOf('time-limit-reached', init, env);
}

function toStopError(reason: unknown, env: Env): AgentStopError {
  if (isAgentStopError(reason)) return reason;
  const message = typeof reason === 'string' ? reason : 'The run was aborted';
  return new AgentStopError(signalOf('user-requested', { message, source: 'abort' }, env));
}
