import { of as signalOf, type StopSignal } from '../stop-signal.ts';
import type { StopReason } from '../stop-reason.ts';
import { type Env, systemEnv, type Timestamp } from '../env.ts';

/** What one execution may spend; null = unlimited. */
export type ExecutionBudget = {
  readonly maxSteps: number | null;
  readonly maxTokens: number | null;
  readonly maxSeconds: number | null;
  /** US dollars. */
  readonly maxCost: number | null;
  /** The moment at which it must be over. */
  readonly deadline: Timestamp | null;
};

/** What an execution has spent so far, subagents included. */
export type Spent = {
  readonly steps: number;
  readonly tokens: number;
  readonly seconds: number;
  readonly cost: number;
};

const noLimits: ExecutionBudget = {
  maxSteps: null,
  maxTokens: null,
  maxSeconds: null,
  maxCost: null,
  deadline: null,
};

/** A budget of the given limits; those left out are unlimited. */
export function of(limits: Partial<ExecutionBudget> = {}): ExecutionBudget {
  return { ...noLimits, ...limits };
}

export function unlimited(): ExecutionBudget {
  return noLimits;
}

/** True when it limits nothing. */
export function isEmpty(budget: ExecutionBudget): boolean {
  return Object.values(budget).every((limit) => limit === null);
}

/** True when any limit is used up (<= 0) or the deadline has passed. */
export function isExhausted(budget: ExecutionBudget, env: Env = systemEnv): boolean {
  const { deadline, ...limits } = budget;
  return (
    Object.values(limits).some((limit) => limit !== null && limit <= 0) ||
    (deadline !== null && deadline <= env.now())
  );
}

/** What is left after spending; never below 0. The deadline stays. */
export function remaining(budget: ExecutionBudget, spent: Partial<Spent>): ExecutionBudget {
  return {
    maxSteps: left(budget.maxSteps, spent.steps),
    maxTokens: left(budget.maxTokens, spent.tokens),
    maxSeconds: left(budget.maxSeconds, spent.seconds),
    maxCost: left(budget.maxCost, spent.cost),
    deadline: budget.deadline,
  };
}

/** The tighter of two budgets, limit by limit. */
export function cappedBy(budget: ExecutionBudget, cap: ExecutionBudget): ExecutionBudget {
  return {
    maxSteps: smaller(budget.maxSteps, cap.maxSteps),
    maxTokens: smaller(budget.maxTokens, cap.maxTokens),
    maxSeconds: smaller(budget.maxSeconds, cap.maxSeconds),
    maxCost: smaller(budget.maxCost, cap.maxCost),
    deadline: smaller(budget.deadline, cap.deadline),
  };
}

/** A stop signal for every limit that is reached (spent >= limit). */
export function exceeded(budget: ExecutionBudget, spent: Partial<Spent>, now: Timestamp): StopSignal[] {
  const at: Env = { ...systemEnv, now: () => now };
  const signals: StopSignal[] = [];
  const add = (reason: StopReason, message: string, context: Record<string, number>) =>
    signals.push(signalOf(reason, { message, context, source: 'budget' }, at));
  const { steps = 0, tokens = 0, seconds = 0, cost = 0 } = spent;
  const { maxSteps, maxTokens, maxSeconds, maxCost, deadline } = budget;
  if (maxSteps !== null && steps >= maxSteps) {
    add('steps-limit-reached', `Step limit reached: ${steps}/${maxSteps}`, { currentSteps: steps, maxSteps });
  }
  if (maxTokens !== null && tokens >= maxTokens) {
    add('token-limit-reached', `Token limit reached: ${tokens}/${maxTokens}`, {
      totalTokens: tokens,
      maxTokens,
    });
  }
  if (maxSeconds !== null && seconds >= maxSeconds) {
    add('time-limit-reached', `Time limit reached: ${seconds.toFixed(1)}/${maxSeconds} s`, {
      elapsedSeconds: seconds,
      maxSeconds,
    });
  }
  if (deadline !== null && now >= deadline) {
    add('time-limit-reached', `Deadline passed: ${new Date(deadline).toISOString()}`, { now, deadline });
  }
  if (maxCost !== null && cost >= maxCost) {
    add('cost-limit-reached', `Cost limit reached: $${cost.toFixed(4)}/$${maxCost}`, { cost, maxCost });
  }
  return signals;
}

function left(limit: number | null, used = 0): number | null {
  return limit === null ? null : Math.max(0, limit - used);
}

function smaller(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
