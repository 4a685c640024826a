import { fromMillionths, toMillionths } from '../../kit/millionths.ts';
import type { Timestamp } from '../env.ts';
type LimitRow = {
  /** The name of the measured amount in `Spent` and `BudgetView`; a `moment` is reached, not spent. */
  readonly measure: string;
  readonly unit: 'steps' | 'tokens' | 'seconds' | 'money' | 'moment';
  /** Name for people. */
  readonly label: string;
};

/** The table of all limits of a run. `limitSignals` holds the signals of reached limits, `spentOf` their spending. */
const table = {
  /** Completed steps: 3 allows exactly three. Steps of a subagent count for that subagent. */
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
  /** Seconds of work; waiting for a person does not count. */
  maxSeconds: {
    measure: 'seconds',
    unit: 'seconds',
    label: 'Seconds',
  },
  /** The moment at which the run must be over, in milliseconds since 1970. */
  deadline: {
    measure: 'moment',
    unit: 'moment',
    label: 'Deadline',
  },
  /** Money in the currency of the prices, subagents included; amounts below a millionth do not count. */
  maxCost: {
    measure: 'cost',
    unit: 'money',
    label: 'Cost',
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
