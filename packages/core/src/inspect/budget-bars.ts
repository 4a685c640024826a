import type { BudgetLine } from '../graph/limits/budget-view.ts';
import { amountOf, type ExecutionBudget, left, type LimitKey, limits } from '../graph/limits/limits.ts';
import { spentOf } from '../graph/limits/spent-of.ts';
import type { AgentState } from '../graph/types.ts';

/** One limit of a run with what is spent of it. */
export type BudgetBar = BudgetLine & {
  readonly key: LimitKey;
  /** What it measures: steps, tokens, seconds, cost. */
  readonly measure: string;
  /** For people. */
  readonly label: string;
};

/**
 * What a run has spent, limit by limit in the order of the table of limits; without the deadline, of which nothing is
 * spent. Of a run that goes on it is what was spent when its state last changed.
 */
export function budgetBars(state: AgentState, budget: ExecutionBudget): readonly BudgetBar[] {
  const spent = spentOf(state, state.updatedAt);
  return limits
    .filter(({ unit }) => unit !== 'moment')
    .map((row) => {
      const { key, measure, label } = row;
      const [limit, amount] = [budget[key], amountOf(row, spent, state.updatedAt)];
      return {
        key,
        measure,
        label,
        spent: amount,
        limit,
        left: limit === null ? null : left(row, limit, amount),
      };
    });
}
