import type { ExecutionBudget, Spent } from './execution-budget.ts';

/** One limit as a user interface shows it; `limit` and `left` are null when unlimited. */
export type BudgetLine = {
  readonly spent: number;
  readonly limit: number | null;
  readonly left: number | null;
};

export type BudgetView = {
  readonly steps: BudgetLine;
  readonly tokens: BudgetLine;
  readonly seconds: BudgetLine;
  readonly cost: BudgetLine;
  readonly deadline: number | null;
};

/** Spent, limit and left, per limit. */
export function budgetView(budget: ExecutionBudget, spent: Spent): BudgetView {
  return {
    steps: line(spent.steps, budget.maxSteps),
    tokens: line(spent.tokens, budget.maxTokens),
    seconds: line(spent.seconds, budget.maxSeconds),
    cost: line(spent.cost, budget.maxCost),
    deadline: budget.deadline,
  };
}

function line(spent: number, limit: number | null): BudgetLine {
  return { spent, limit, left: limit === null ? null : Math.max(0, limit - spent) };
}
