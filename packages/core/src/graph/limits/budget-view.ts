import { amountOf, type ExecutionBudget, left, type Limit, limits, type Spent } from './limits.ts';
import type { SessionBudget } from './session-budget.ts';

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

/**
 * Spent, limit and left for each limit. Seconds are working time, as the loop counts them; see `spentOf`. An absent
 * amount is 0.
 */
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

/** One limit with its spending. */
export function lineOf(limit: Limit, value: number | null, spent: number): BudgetLine {
  return { spent, limit: value, left: value === null ? null : left(limit, value, spent) };
}
