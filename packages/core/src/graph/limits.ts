import { fromMillionths, toMillionths } from '../kit/numbers.ts';
import { equalJson, type JsonObject } from '../kit/json.ts';
import type { Timestamp } from './env.ts';
import { activeMs, hasUnknownCost, usage as usageOfExecution } from './execution-state.ts';
import type { StopReason } from './stop-reason.ts';
import type { AgentState, SpentBefore } from './types.ts';

type LimitRow = {
  /** The name of the measured amount in `Spent` and `BudgetView`; a `moment` is reached, not spent. */
  readonly measure: string;
  readonly unit: 'steps' | 'tokens' | 'seconds' | 'money' | 'moment';
  /** Name for people. */
  readonly label: string;
  /** The spending of an execution; for a moment the time itself. */
  readonly spending: (state: AgentState, now: Timestamp) => number;
  /** The stop reason of a run that reaches the limit, and the message and context of its signal. */
  readonly reason: StopReason;
  readonly message: (spent: number, limit: number) => string;
  readonly context: (spent: number, limit: number) => JsonObject;
};

const table = {
  /** Completed steps: 3 allows exactly three. Steps of a subagent count for that subagent. */
  maxSteps: {
    measure: 'steps',
    unit: 'steps',
    label: 'Steps',
    spending: ({ execution }) => execution?.stepExecutions.length ?? 0,
    reason: 'steps-limit-reached',
    message: (spent, limit) => `Step limit reached: ${spent}/${limit}`,
    context: (currentSteps, maxSteps) => ({ currentSteps, maxSteps }),
  },
  /** Input and output tokens, subagents included. */
  maxTokens: {
    measure: 'tokens',
    unit: 'tokens',
    label: 'Tokens',
    spending: (state) => executionSpent(state).tokens,
    reason: 'token-limit-reached',
    message: (spent, limit) => `Token limit reached: ${spent}/${limit}`,
    context: (totalTokens, maxTokens) => ({ totalTokens, maxTokens }),
  },
  /** Seconds of work; waiting for a person does not count. */
  maxSeconds: {
    measure: 'seconds',
    unit: 'seconds',
    label: 'Seconds',
    spending: (state, now) => activeMs(state, now) / 1000,
    reason: 'time-limit-reached',
    message: (spent, limit) => `Time limit reached: ${spent.toFixed(1)}/${limit} s`,
    context: (elapsedSeconds, maxSeconds) => ({ elapsedSeconds, maxSeconds }),
  },
  /** The moment at which the run must be over, in milliseconds since 1970. */
  deadline: {
    measure: 'moment',
    unit: 'moment',
    label: 'Deadline',
    spending: (_state, now) => now,
    reason: 'time-limit-reached',
    message: (_now, deadline) => `Deadline passed: ${new Date(deadline).toISOString()}`,
    context: (now, deadline) => ({ now, deadline }),
  },
  /** Money in the currency of the prices, subagents included; amounts below a millionth do not count. */
  maxCost: {
    measure: 'cost',
    unit: 'money',
    label: 'Cost',
    spending: (state) => executionSpent(state).cost,
    reason: 'cost-limit-reached',
    message: (spent, limit) => `Cost limit reached: ${Number(spent.toFixed(6))}/${limit}`,
    context: (cost, maxCost) => ({ cost, maxCost }),
  },
} as const satisfies { readonly [key: string]: LimitRow };

type Table = typeof table;

/** The name of a limit in a budget. */
export type LimitKey = keyof Table;
export type AmountKey = Exclude<LimitKey, 'deadline'>;
export type Limit = LimitRow & { readonly key: LimitKey };

/** Limits of one execution; null is unlimited. */
export type ExecutionBudget = { readonly [Key in keyof Table]: number | null };

/** Spending of an execution so far, by measure. Subagents are included, except in `steps`. */
export type Spent = { readonly [Key in AmountKey as Table[Key]['measure']]: number } & {
  /** True when a call of unknown price was made, so that `cost` is too low. */
  readonly hasUnknownCost: boolean;
};

/** The rows of the table, in the order in which their signals are raised. */
export const limits: readonly Limit[] = /* @__PURE__ */ (Object.keys(table) as LimitKey[]).map((key) => ({
  key,
  ...table[key],
}));

/** The spending of a limit; 0 when it is absent. */
export function amountOf(limit: Limit, spent: Partial<Spent>, now: Timestamp): number {
  if (limit.unit === 'moment') return now;
  return (spent as { readonly [measure: string]: number | undefined })[limit.measure] ?? 0;
}

/** True when nothing of the limit is left. An amount that is no number counts as fully spent. */
export function isReached({ unit }: Limit, amount: number, limit: number): boolean {
  const left = unit === 'money' ? toMillionths(limit) - toMillionths(amount) : limit - amount;
  return !(left > 0);
}

/** The rest of a limit; never below 0. */
export function left({ unit }: Limit, limit: number, amount: number): number {
  if (unit !== 'money') return Math.max(0, limit - amount);
  return fromMillionths(Math.max(0, toMillionths(limit) - toMillionths(amount)));
}

/** Limits of all runs of a session together; null is unlimited. */
export type SessionBudget = {
  /** Input and output tokens, subagents included. */
  readonly tokens: number | null;
  /** Money in the currency of the prices, subagents included. */
  readonly cost: number | null;
};

/** The limit of an execution with the same measure. */
export const sessionLimits = {
  tokens: 'maxTokens',
  cost: 'maxCost',
} as const satisfies { readonly [Key in keyof SessionBudget]: LimitKey };

/** The spending of an execution until `now`: the one definition for the loop, the hooks, the panel and the ledger. */
export function spentOf(state: AgentState, now: Timestamp): Spent {
  const spent: Record<string, number | boolean> = { hasUnknownCost: hasUnknownCost(state) };
  for (const { unit, measure, spending } of limits)
    if (unit !== 'moment') spent[measure] = spending(state, now);
  return spent as Spent;
}

const nothingSpent: SpentBefore = { tokens: 0, cost: 0, hasUnknownCost: false };

/** The spending of a session in all its runs, the current one included. */
export function sessionSpent(state: AgentState): SpentBefore {
  const before = state.spentBefore ?? nothingSpent;
  const own = executionSpent(state);
  return {
    tokens: before.tokens + own.tokens,
    cost: fromMillionths(toMillionths(before.cost) + toMillionths(own.cost)),
    hasUnknownCost: before.hasUnknownCost || own.hasUnknownCost,
  };
}

/** The earlier spending of a state that loses its execution; null for none. */
export function spentWithoutExecution(state: AgentState): SpentBefore | null {
  return state.execution === null ? (state.spentBefore ?? null) : orNull(sessionSpent(state));
}

/** The state that replaces another one in a session, with all earlier spending kept. */
export function withSpentOf(before: AgentState, after: AgentState): AgentState {
  const [spent, own] = [sessionSpent(before), executionSpent(after)];
  const known = after.spentBefore ?? nothingSpent;
  const spentBefore = orNull({
    tokens: Math.max(known.tokens, spent.tokens - own.tokens),
    cost: Math.max(known.cost, fromMillionths(toMillionths(spent.cost) - toMillionths(own.cost))),
    hasUnknownCost: known.hasUnknownCost || (spent.hasUnknownCost && !own.hasUnknownCost),
  });
  return equalJson(spentBefore, after.spentBefore ?? null) ? after : { ...after, spentBefore };
}

function executionSpent(state: AgentState): SpentBefore {
  if (state.execution === null) return nothingSpent;
  const { totalTokens, cost } = usageOfExecution(state.execution);
  return { tokens: totalTokens, cost: cost ?? 0, hasUnknownCost: hasUnknownCost(state) };
}

function orNull(spent: SpentBefore): SpentBefore | null {
  return spent.tokens === 0 && spent.cost === 0 && !spent.hasUnknownCost ? null : spent;
}

const priceIsUnknown =
  'the price of the model is not known; give `llmConfig.prices` for it, or `VITRINE_PRICES` at the proxy, or take `maxCost` out of the budget.';

/** The reason why the spending of a limit is unknown, so that it counts as reached; null when it is known. */
export function unknownSpending(
  { unit }: Limit,
  { hasUnknownCost: isUnknown = false }: Partial<Spent>,
  limit: number,
): string | null {
  return unit === 'money' && isUnknown ? `Cost limit of ${limit} cannot be kept: ${priceIsUnknown}` : null;
}
