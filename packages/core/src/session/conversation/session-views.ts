import { budgetView } from '../../graph/limits/budget-view.ts';
import { none as noUsage } from '../../graph/no-usage.ts';
import type { AgentState } from '../../graph/types.ts';
import { nothing } from '../../kit/nothing.ts';
import { isBlank, laterViews, type SessionViews } from './later-views.ts';
import { noBranches } from '../branches/message-branches.ts';
import { noOutput } from './no-output.ts';

const blankViews: SessionViews = {
  title: () => '',
  messages: () => nothing,
  usage: noUsage,
  branches: () => noBranches,
  budget: ({ budget }) => budgetView(budget, {}),
  output: () => noOutput,
  pendingApprovals: () => nothing,
  steps: () => nothing,
  stopReason: () => null,
  stopSignals: () => nothing,
};

/**
 * What a user interface shows of a state, as `Conversation` tells it, for pages that begin without anything to show: a
 * state in which something has happened is shown as soon as the engine, or anything that makes such states, is there.
 */
export function sessionViews(state: AgentState): SessionViews {
  return (isBlank(state) ? null : laterViews()) ?? blankViews;
}
