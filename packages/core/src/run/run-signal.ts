import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import { AgentStopError, isAgentStopError } from '../graph/agent-stop-error.ts';
import { of as signalOf, type StopSignal } from '../graph/stop-signal.ts';
import type { Env } from '../graph/env.ts';

/** The longest delay that timers keep; a limit beyond it is left to the checks between steps. */
const maxTimerMs = 2 ** 31 - 1;

type RunSignal = {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly release: () => void;
};

/** The signal of one run: aborted with the caller's, and when time is up. Its reason always carries a stop signal. */
export function linkedAbort(options: {
  signal: AbortSignal | null;
  budget: ExecutionBudget;
  secondsBefore: number;
  env: Env;
}): RunSignal {
  const { signal, env } = options;
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(toStopError(reason, env));
  const onAbort = (): void => abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const timer = startTimer(options, () => abort(new AgentStopError(timeUp(options))));
  return {
    signal: controller.signal,
    abort,
    release() {
      signal?.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}

function startTimer(
  { budget, secondsBefore, env }: { budget: ExecutionBudget; secondsBefore: number; env: Env },
  onTimeUp: () => void,
): ReturnType<typeof setTimeout> | undefined {
  const bySeconds = budget.maxSeconds === null ? Infinity : (budget.maxSeconds - secondsBefore) * 1000;
  const byDeadline = budget.deadline === null ? Infinity : budget.deadline - env.now();
  const delayMs = Math.min(bySeconds, byDeadline);
  // A limit that is used up already is reported by the check before the first step.
  return delayMs <= 0 || delayMs > maxTimerMs ? undefined : setTimeout(onTimeUp, delayMs);
}

function timeUp({ budget, env }: { budget: ExecutionBudget; env: Env }): StopSignal {
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
