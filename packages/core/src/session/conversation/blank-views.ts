import { budgetView } from '../../graph/limits/budget-view.ts';
import { none as noUsage } from '../../graph/no-usage.ts';
import { nothing } from '../../kit/nothing.ts';
import { noBranches } from '../branches/message-branches.ts';
import type { SessionViews } from './later-views.ts';
import { noOutput } from './no-output.ts';

/** The views of a blank state. */
export const blankViews: SessionViews = {
  title: () => '',
  messages: () => nothing,
  usage: noUsage,
  branches: () => noBranches,
  budget: ({ budget, sessionBudget }) =>
    budgetView(budget, {}, sessionBudget && { limits: sessionBudget, spent: {} }),
  output: () => noOutput,
  pendingApprovals: () => nothing,
  steps: () => nothing,
  stopReason: () => null,
  stopSignals: () => nothing,
};
