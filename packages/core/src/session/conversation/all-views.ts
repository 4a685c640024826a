import { stopReason, stopSignals } from '../../graph/agent-state/signals.ts';
import { steps } from '../../graph/agent-state/steps.ts';
import { usage } from '../../graph/agent-state/usage.ts';
import { pendingApprovals } from '../../graph/agent-state/views.ts';
import { branches } from '../branches/conversation-branches.ts';
import { budget } from './conversation-budget.ts';
import { output } from './conversation-output.ts';
import { messages } from './conversation.ts';
import type { SessionViews } from './later-views.ts';
import { titleOf } from '../title-of.ts';

/** What shows a state in which something has happened, as the engine and `AgentState` bring it. */
export const allViews: SessionViews = {
  title: titleOf,
  messages,
  usage,
  branches,
  budget,
  output,
  pendingApprovals,
  steps,
  stopReason,
  stopSignals,
};
