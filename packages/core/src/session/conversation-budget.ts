import { executionDuration, stepCount, usage } from '../graph/agent-state/accessors.ts';
import { type BudgetView, budgetView } from '../graph/limits/budget-view.ts';
import { memoize } from '../kit/memoize.ts';
import type { SessionSnapshot } from './agent-session.ts';

const viewOf = memoize((snapshot: SessionSnapshot): BudgetView => {
  const { state, budget } = snapshot;
  const { totalTokens, cost } = usage(state);
  const seconds = executionDuration(state) / 1000;
  return budgetView(budget, { steps: stepCount(state), tokens: totalTokens, seconds, cost: cost ?? 0 });
});

/** Spent, limit and left, per limit. */
export function budget(snapshot: SessionSnapshot): BudgetView {
  return viewOf(snapshot);
}
