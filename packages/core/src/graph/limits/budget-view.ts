import { amountOf, type ExecutionBudget, left, limits, type Spent } from './limits.ts';

/** One limit as a user interface shows it; `limit` and `left` are null when unlimited. */
export type BudgetLine = {
  readonly spent: number;
  readonly limit: number | null;
  readonly left: number | null;
};

/** Spent, limit and left, by what the limits measure, and the moment at which it must be over. */
export type BudgetView = { readonly [Measure in Exclude<keyof Spent, 'hasUnknownCost'>]: BudgetLine } & {
  readonly deadline: number | null;
};

/** Spent, limit and left, per limit. Seconds of work only, as the loop counts them; see `spentOf`. What was not said is 0. */
export function budgetView(budget: ExecutionBudget, spent: Partial<Spent>): BudgetView {
  const view: Record<string, BudgetLine | number | null> = {};
  for (const limit of limits) {
    const value = budget[limit.key];
    const amount = amountOf(limit, spent, 0);
    view[limit.unit === 'moment' ? limit.key : limit.measure] =
      limit.unit === 'moment'
        ? value
        : { spent: amount, limit: value, left: value === null ? null : left(limit, value, amount) };
  }
  return view as BudgetView;
}
