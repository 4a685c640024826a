import { systemEnv } from '../../graph/env.ts';
import { type BudgetView, budgetView } from '../../graph/execution-budget.ts';
import { spentOf, sessionSpent } from '../../graph/limits.ts';
import { memoize } from '../../kit/memoize.ts';
import type { SessionSnapshot } from '../agent-session.ts';

// Before the first run nothing is spent, and a page that is rendered ahead must not read the clock.
const viewOf = memoize((snapshot: SessionSnapshot): BudgetView => {
  const { state, budget, sessionBudget } = snapshot;
  const spent = spentOf(state, state.execution === null ? 0 : presentOf(snapshot));
  return budgetView(budget, spent, sessionBudget && { limits: sessionBudget, spent: sessionSpent(state) });
});

/** Returns the current time. The time in which an interrupted run stands still does not count. */
function presentOf({ state, status }: SessionSnapshot): number {
  return status === 'interrupted' ? state.updatedAt : systemEnv.now();
}

/** Returns spent, limit and left for each limit; the same value for one snapshot. */
export function budget(snapshot: SessionSnapshot): BudgetView {
  return viewOf(snapshot);
}
