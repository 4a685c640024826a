import { fromMillionths, toMillionths } from '../../kit/millionths.ts';
import type { Timestamp } from '../env.ts';
type LimitRow = {
  /** What it limits, as `Spent` and `BudgetView` call it; a `moment` is reached, not spent. */
  readonly measure: string;
  readonly unit: 'steps' | 'tokens' | 'seconds' | 'money' | 'moment';
  /** For people. */
  readonly label: string;
};

/** Every limit of a run, a row each; what is said when one is reached stands in `limitSignals`, what is spent of it in
 * `spentOf`. */
const table = {
  /** Completed steps: 3 is exactly three of them. Those of subagents count for the subagent. */
  maxSteps: {
    measure: 'steps',
    unit: 'steps',
    label: 'Steps',
  },
  /** Input and output tokens, subagents included. */
  maxTokens: {
    measure: 'tokens',
    unit: 'tokens',
    label: 'Tokens',
  },
  /** Seconds of work; time that waits for a person does not count. */
  maxSeconds: {
    measure: 'seconds',
    unit: 'seconds',
    label: 'Seconds',
  },
  /** The moment at which it must be over, in milliseconds since 1970. */
  deadline: {
    measure: 'moment',
    unit: 'moment',
    label: 'Deadline',
  },
  /** Money in the currency of the prices, subagents included; smaller amounts than a millionth do not count. */
  maxCost: {
    measure: 'cost',
    unit: 'money',
    label: 'Cost',
  },
} as const satisfies { readonly [key: string]: LimitRow };

type Table = typeof table;
/** The name of a limit, as a budget has it. */
export type LimitKey = keyof Table;
export type AmountKey = Exclude<LimitKey, 'deadline'>;
export type Limit = LimitRow & { readonly key: LimitKey };

/** What one execution may spend; null = unlimited. */
export type ExecutionBudget = { readonly [Key in keyof Table]: number | null };

/** What an execution has spent so far, by what the limits measure; subagents included, except in `steps`. */
export type Spent = { readonly [Key in AmountKey as Table[Key]['measure']]: number } & {
  /** True when a call was made whose price is not known, so that `cost` is less than what was spent. */
  readonly hasUnknownCost: boolean;
};

/** The rows, in the order in which their signals are raised. */
export const limits: readonly Limit[] = /* @__PURE__ */ (Object.keys(table) as LimitKey[]).map((key) => ({
  key,
  ...table[key],
}));

/** How much of it is spent; nothing when it was not said. */
export function amountOf(limit: Limit, spent: Partial<Spent>, now: Timestamp): number {
  if (limit.unit === 'moment') return now;
  return (spent as { readonly [measure: string]: number | undefined })[limit.measure] ?? 0;
}

/** True when nothing of the limit is left. An amount that is no number counts as all of it. */
export function isReached({ unit }: Limit, amount: number, limit: number): boolean {
  const left = unit === 'money' ? toMillionths(limit) - toMillionths(amount) : limit - amount;
  return !(left > 0);
}

/** What is left of one limit; never below 0. */
export function left({ unit }: Limit, limit: number, amount: number): number {
  if (unit !== 'money') return Math.max(0, limit - amount);
  return fromMillionths(Math.max(0, toMillionths(limit) - toMillionths(amount)));
}
