import { type Env, systemEnv, type Timestamp } from '../env.ts';
import { of as signalOf, type StopSignal } from '../stop-signal.ts';
import { fromLimits } from './budget-of.ts';
import { limitSignals } from './limit-signals.ts';
import { amountOf, type ExecutionBudget, isReached, left, type Limit, limits, type Spent } from './limits.ts';

export { of } from './budget-of.ts';
export type { ExecutionBudget, Spent } from './limits.ts';

const noLimits = /* @__PURE__ */ fromLimits(() => null);

/** A budget without limits. */
export function unlimited(): ExecutionBudget {
  return noLimits;
}

/** True when the budget limits nothing. */
export function isEmpty(budget: ExecutionBudget): boolean {
  return limits.every(({ key }) => budget[key] === null);
}

/** True when any limit is used up (<= 0) or the deadline has passed. */
export function isExhausted(budget: ExecutionBudget, env: Env = systemEnv): boolean {
  return reached(budget, {}, env.now()).length > 0;
}

/** The remaining budget after spending; never below 0, and 0 for an unknown amount. A deadline is unchanged. */
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

/** A stop signal for every limit that is reached (spent >= limit) or whose spending is unknown. */
export function exceeded(budget: ExecutionBudget, spent: Partial<Spent>, now: Timestamp): StopSignal[] {
  return exceededOf('budget', budget, spent, now);
}

/** A stop signal for every reached limit of a budget, with the name of that budget as the source. */
export function exceededOf(
  source: BudgetSource,
  budget: ExecutionBudget,
  spent: Partial<Spent>,
  now: Timestamp,
): StopSignal[] {
  return reached(budget, spent, now).map((limit) => {
    const value = budget[limit.key] ?? 0;
    const amount = amountOf(limit, spent, now);
    const { reason, ...signal } = limitSignals[limit.key];
    const message = `${signal.unknown(spent, value) ?? signal.message(amount, value)}${scopes[source]}`;
    return signalOf(reason, { message, context: signal.context(amount, value), source }, at(now));
  });
}

/** A stop signal for every limit whose rest is below the lower estimate of a call. The call is not made. */
export function refusals(
  source: BudgetSource,
  budget: ExecutionBudget,
  spent: Spent,
  least: Partial<Spent>,
  now: Timestamp,
): StopSignal[] {
  return limits.flatMap((limit) => {
    const value = budget[limit.key];
    const atLeast = amountOf(limit, least, 0);
    if (value === null || atLeast === 0) return [];
    const amount = amountOf(limit, spent, now);
    const rest = left(limit, value, amount);
    if (atLeast <= rest) return [];
    const { reason, context } = limitSignals[limit.key];
    const message = `${limit.label}: the next model call needs ${atLeast} or more, and ${rest} of ${value} are left${scopes[source]}`;
    const figures = { ...context(amount, value), refused: true, atLeast, left: rest };
    return [signalOf(reason, { message, context: figures, source }, at(now))];
  });
}

/** The owner of a limit, as signals name it. */
export type BudgetSource = 'budget' | 'session-budget';

const scopes: { readonly [Source in BudgetSource]: string } = {
  budget: '',
  'session-budget': ' in this session',
};

function at(now: Timestamp): Env {
  return { ...systemEnv, now: () => now };
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
