import { stopReason, stopSignals } from '../../graph/agent-state/signals.ts';
import { steps } from '../../graph/agent-state/steps.ts';
import { usage } from '../../graph/agent-state/usage.ts';
import { pendingApprovals } from '../../graph/agent-state/views.ts';
import { total } from '../../kit/total.ts';
import { branches } from '../branches/conversation-branches.ts';
import { titleOf } from '../title-of.ts';
import { blankViews } from './blank-views.ts';
import { budget } from './conversation-budget.ts';
import { output } from './conversation-output.ts';
import { messages } from './conversation.ts';
import type { SessionViews } from './later-views.ts';

/**
 * The views of any state, as the engine and `AgentState` register them. None of them throws: an unreadable
 * state shows as a blank one.
 */
export const allViews: SessionViews = {
  title: total('title', titleOf, blankViews.title),
  messages,
  usage: total('usage', usage, blankViews.usage),
  branches: total('branches', branches, blankViews.branches),
  budget: total('budget', budget, blankViews.budget),
  output,
  pendingApprovals: total('pendingApprovals', pendingApprovals, blankViews.pendingApprovals),
  steps: total('steps', steps, blankViews.steps),
  stopReason: total('stopReason', stopReason, blankViews.stopReason),
  stopSignals: total('stopSignals', stopSignals, blankViews.stopSignals),
};
