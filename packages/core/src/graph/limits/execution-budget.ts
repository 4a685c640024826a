import { type Env, systemEnv, type Timestamp } from '../env.ts';
import { of as signalOf, type StopSignal } from '../stop-signal.ts';
import { fromLimits } from './budget-of.ts';
import { limitSignals } from './limit-signals.ts';
import { amountOf, type ExecutionBudget, isReached, left, type Limit, limits, type Spent } from './limits.ts';

export { of } from './budget-of.ts';
export type { ExecutionBudget, Spent } from './limits.ts';

const noLimits = /* @__PURE__ */ fromLimits(() => null);

/** A budget that limits nothing. */
export function unlimited(): ExecutionBudget {
  return noLimits;
}

/** True when it limits nothing. */
export function isEmpty(budget: ExecutionBudget): boolean {
  return limits.every(({ key }) => budget[key] === null);
}

/** True when any limit is used up (<= 0) or the deadline has passed. */
export function isExhausted(budget: ExecutionBudget, env: Env = systemEnv): boolean {
  return reached(budget, {}, env.now()).length > 0;
}

/** What is left after spending; never below 0, and 0 of what nobody knows. A deadline stays. */
export function remaining(budget: ExecutionBudget, spent: Partial<Spent>): ExecutionBudget {
  return fromLimits((limit) => {
    const value = budget[limit.key];
    if (value === null || limit.unit === 'moment') return value;
    return limitSignals[limit.key].unknown(spent, value) === null
      ? left(limit, value, amountOf(limit, spent, 0))
      : 0;
  });
}

/** The tighter of two budgets, limit by limit. */
export function cappedBy(budget: ExecutionBudget, cap: ExecutionBudget): ExecutionBudget {
  return fromLimits(({ key }) => smaller(budget[key], cap[key]));
}

/** A stop signal for every limit that is reached (spent >= limit), or of which nobody knows what is spent. */
export function exceeded(budget: ExecutionBudget, spent: Partial<Spent>, now: Timestamp): StopSignal[] {
  const at: Env = { ...systemEnv, now: () => now };
  return reached(budget, spent, now).map((limit) => {
    const value = budget[limit.key] ?? 0;
    const amount = amountOf(limit, spent, now);
    const { reason, ...signal } = limitSignals[limit.key];
    const message = signal.unknown(spent, value) ?? signal.message(amount, value);
    return signalOf(reason, { message, context: signal.context(amount, value), source: 'budget' }, at);
  });
}

/** The limits that are reached. */
function reached(budget: ExecutionBudget, spent: Partial<Spent>, now: Timestamp): readonly Limit[] {
  return limits.filter((limit) => {
    const value = budget[limit.key];
    if (value === null) return false;
    return (
      limitSignals[limit.key].unknown(spent, value) !== null ||
      isReached(limit, amountOf(limit, spent, now), value)
    );
  });
}

function smaller(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
