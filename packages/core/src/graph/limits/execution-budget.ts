import type { AgentError } from '../../kit/agent-error.ts';
import * as errors from '../../kit/errors.ts';
import { type Env, systemEnv, type Timestamp } from '../env.ts';
import { of as signalOf, type StopSignal } from '../stop-signal.ts';
import { amountOf, type ExecutionBudget, isReached, left, type Limit, limits, type Spent } from './limits.ts';

export type { ExecutionBudget, Spent } from './limits.ts';

const noLimits = /* @__PURE__ */ fromLimits(() => null);

/**
 * A budget of the given limits; those left out are unlimited, as are those that are null.
 * @throws AgentError `budget-invalid` for a limit that is undefined, NaN, infinite or negative, and for an unknown one.
 */
export function of(given: Partial<ExecutionBudget> = {}): ExecutionBudget {
  for (const key of Object.keys(given)) {
    if (limits.every((limit) => limit.key !== key)) throw unknownLimit(key);
  }
  return fromLimits(({ key, unit }) => {
    if (!Object.hasOwn(given, key)) return null;
    const value: unknown = given[key];
    if (value === null) return null;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw invalidLimit(key, value);
    return unit === 'moment' ? Math.round(value) : value;
  });
}

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
    return limit.unknown(spent, value) === null ? left(limit, value, amountOf(limit, spent, 0)) : 0;
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
    const message = limit.unknown(spent, value) ?? limit.message(amount, value);
    return signalOf(limit.reason, { message, context: limit.context(amount, value), source: 'budget' }, at);
  });
}

/** The limits that are reached. */
function reached(budget: ExecutionBudget, spent: Partial<Spent>, now: Timestamp): readonly Limit[] {
  return limits.filter((limit) => {
    const value = budget[limit.key];
    if (value === null) return false;
    return limit.unknown(spent, value) !== null || isReached(limit, amountOf(limit, spent, now), value);
  });
}

function fromLimits(valueOf: (limit: Limit) => number | null): ExecutionBudget {
  return Object.fromEntries(limits.map((limit) => [limit.key, valueOf(limit)])) as ExecutionBudget;
}

function smaller(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}

function invalidLimit(key: string, value: unknown): AgentError {
  const given = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  const message = `budget.${key} is ${given}; give a number of 0 or more, null for no limit, or leave it out.`;
  return errors.budgetInvalid(message, { limit: key, value: given });
}

function unknownLimit(key: string): AgentError {
  const keys = limits.map((limit) => limit.key).join(', ');
  const message = `budget.${key} is no limit; there are ${keys}.`;
  return errors.budgetInvalid(message, { limit: key });
}
