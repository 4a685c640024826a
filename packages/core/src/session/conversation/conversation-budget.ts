import { systemEnv } from '../../graph/env.ts';
import { type BudgetView, budgetView } from '../../graph/limits/budget-view.ts';
import { spentOf } from '../../graph/limits/spent-of.ts';
import { memoize } from '../../kit/memoize.ts';
import type { SessionSnapshot } from '../agent-session.ts';

// Before the first run nothing is spent: a page that is rendered ahead may not read the clock.
const viewOf = memoize(({ state, budget }: SessionSnapshot): BudgetView =>
  budgetView(budget, spentOf(state, state.execution === null ? 0 : systemEnv.now())),
);

/** Spent, limit and left, per limit; the same value for one snapshot. */
export function budget(snapshot: SessionSnapshot): BudgetView {
  return viewOf(snapshot);
}
