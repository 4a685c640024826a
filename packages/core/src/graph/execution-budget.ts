import * as errors from '../kit/errors.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import { of as signalOf, type StopSignal } from './stop-signal.ts';
import {
  amountOf,
  type ExecutionBudget,
  isReached,
  left,
  type Limit,
  limits,
  type Spent,
  type SessionBudget,
  unknownSpending,
} from './limits.ts';
import type { AgentError } from '../kit/agent-error.ts';
import { isPlainObject } from '../kit/json.ts';
import { fromMillionths, toMillionths } from '../kit/numbers.ts';
import type { Grant } from './types.ts';

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
  return reachedLimits(budget, {}, env.now()).length > 0;
}

/** The remaining budget after spending; never below 0, and 0 for an unknown amount. A deadline is unchanged. */
export function remaining(budget: ExecutionBudget, spent: Partial<Spent>): ExecutionBudget {
  return fromLimits((limit) => {
    const value = budget[limit.key];
    if (value === null || limit.unit === 'moment') return value;
    return unknownSpending(limit, spent, value) === null ? left(limit, value, amountOf(limit, spent, 0)) : 0;
  });
}

/** The tighter of two budgets, limit by limit. */
export function cappedBy(budget: ExecutionBudget, cap: ExecutionBudget): ExecutionBudget {
  return fromLimits(({ key }) => smaller(budget[key], cap[key]));
}

/** A stop signal for every limit that is reached (spent >= limit) or whose spending is unknown. */
export function stopSignals(budget: ExecutionBudget, spent: Partial<Spent>, now: Timestamp): StopSignal[] {
  return exceededOf('budget', budget, spent, now);
}

/** A stop signal for every reached limit of a budget, with the name of that budget as the source. */
export function exceededOf(
  source: BudgetSource,
  budget: ExecutionBudget,
  spent: Partial<Spent>,
  now: Timestamp,
): StopSignal[] {
  return reachedLimits(budget, spent, now).map((limit) => {
    const value = budget[limit.key] ?? 0;
    const amount = amountOf(limit, spent, now);
    const sentence = unknownSpending(limit, spent, value) ?? limit.message(amount, value);
    const message = `${sentence}${scopes[source]}`;
    return signalOf(limit.reason, { message, context: limit.context(amount, value), source }, at(now));
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
    const message = `${limit.label}: the next model call needs ${atLeast} or more, and ${rest} of ${value} are left${scopes[source]}`;
    const figures = { ...limit.context(amount, value), refused: true, atLeast, left: rest };
    return [signalOf(limit.reason, { message, context: figures, source }, at(now))];
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

function reachedLimits(budget: ExecutionBudget, spent: Partial<Spent>, now: Timestamp): readonly Limit[] {
  return limits.filter((limit) => {
    const value = budget[limit.key];
    if (value === null) return false;
    return (
      unknownSpending(limit, spent, value) !== null || isReached(limit, amountOf(limit, spent, now), value)
    );
  });
}

function smaller(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}

/**
 * A budget of the given limits; omitted and null limits are unlimited.
 * @throws AgentError `budget-invalid` for a limit that is undefined, NaN, infinite or negative, and for an unknown one.
 */
export function of(given: Partial<ExecutionBudget> = {}): ExecutionBudget {
  if (!isPlainObject(given))
    throw errors.budgetInvalid('A budget is an object of limits, e.g. { maxSteps: 20 }.', { limit: '' });
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

export function fromLimits(valueOf: (limit: Limit) => number | null): ExecutionBudget {
  return Object.fromEntries(limits.map((limit) => [limit.key, valueOf(limit)])) as ExecutionBudget;
}

function invalidLimit(key: string, value: unknown): AgentError {
  const given = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  const message = `budget.${key} is ${given}; give a number of 0 or more, null for no limit, or leave it out.`;
  return errors.budgetInvalid(message, { limit: key, value: given });
}

function unknownLimit(key: string): AgentError {
  const keys = limits.map((limit) => limit.key).join(', ');
  const message = `budget.${key} is not a limit. The limits are ${keys}.`;
  return errors.budgetInvalid(message, { limit: key });
}

/** One limit as a user interface shows it; `limit` and `left` are null when unlimited. */
export type BudgetLine = {
  readonly spent: number;
  readonly limit: number | null;
  readonly left: number | null;
};

/** Spent, limit and left for each measure, and the deadline. */
export type BudgetView = { readonly [Measure in Exclude<keyof Spent, 'hasUnknownCost'>]: BudgetLine } & {
  readonly deadline: number | null;
  /** The spending of all runs of the session together; present only when the agent limits it. */
  readonly session?: { readonly [Key in keyof SessionBudget]: BudgetLine };
};

/** The budget of a session and its spending; an absent amount is 0. */
type OfSession = { readonly limits: SessionBudget; readonly spent: Partial<Spent> };

/** Spent, limit and left for each limit; an absent amount is 0. Seconds are working time, see `spentOf`. */
export function budgetView(budget: ExecutionBudget, spent: Partial<Spent>, session?: OfSession): BudgetView {
  const view: Record<string, BudgetLine | number | object | null> = {};
  for (const limit of limits) {
    const value = budget[limit.key];
    view[limit.unit === 'moment' ? limit.key : limit.measure] =
      limit.unit === 'moment' ? value : lineOf(limit, value, amountOf(limit, spent, 0));
  }
  if (session && (session.limits.tokens !== null || session.limits.cost !== null)) {
    const rows = limits.filter(({ measure }) => measure === 'tokens' || measure === 'cost');
    view['session'] = Object.fromEntries(
      rows.map((limit) => {
        const value = session.limits[limit.measure as keyof SessionBudget];
        return [limit.measure, lineOf(limit, value, amountOf(limit, session.spent, 0))];
      }),
    );
  }
  return view as BudgetView;
}

export function lineOf(limit: Limit, value: number | null, spent: number): BudgetLine {
  return { spent, limit: value, left: value === null ? null : left(limit, value, spent) };
}

/** The limits with a grant; a limit that is null stays unlimited. */
export function withGrant(budget: ExecutionBudget, grant: Grant | undefined): ExecutionBudget {
  if (grant === undefined) return budget;
  return fromLimits((limit) => {
    const value = budget[limit.key];
    const more = grant[grantKeyOf(limit)];
    return value === null || more === undefined ? value : raiseLimit(limit, value, more);
  });
}

export function grantKeyOf({ unit, measure }: Limit): keyof Grant {
  return (unit === 'moment' ? 'deadline' : measure) as keyof Grant;
}

/** The value of a limit with more of it; a later moment in place of an earlier one. */
export function raiseLimit({ unit }: Limit, value: number, more: number): number {
  if (unit === 'moment') return Math.max(value, more);
  return unit === 'money' ? fromMillionths(toMillionths(value) + toMillionths(more)) : value + more;
}
