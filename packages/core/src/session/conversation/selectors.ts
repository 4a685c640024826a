import type { ChatMessage } from '../../agent/chat-message.ts';
import type { Schema } from '../../agent/schema.ts';
import {
  stopReason,
  stopSignals,
  steps,
  usage,
  pendingApprovals,
} from '../../graph/agent-state/accessors.ts';
import { type BudgetView, budgetView } from '../../graph/execution-budget.ts';
import { none as noUsage, type Usage } from '../../graph/usage.ts';
import type { StopReason } from '../../graph/stop-reason.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import type { AgentState, AgentStep, ToolExecution } from '../../graph/types.ts';
import { nothing } from '../../kit/memoize.ts';
import { total } from '../../kit/total.ts';
import type { SessionSnapshot } from '../agent-session.ts';
import { branches, type MessageBranches, noBranches } from '../branches/conversation-branches.ts';
import { budget, messages, output, type SomeOutput } from './conversation.ts';
import { titleOf } from './session-title.ts';

/** Functions that read a session for a user interface. Each returns the same object for the same state. */
export type Selectors = {
  /** The title derived from the messages. */
  readonly title: (state: AgentState) => string;
  /** The messages of a chat, including the answer that streams. */
  readonly messages: (state: AgentState) => readonly ChatMessage[];
  /** The usage of the current run, including subagents. */
  readonly usage: (state: AgentState) => Usage;
  /** Spent amount, limit and remainder of each limit. */
  readonly budget: (snapshot: SessionSnapshot) => BudgetView;
  /** The answer as data of a schema. */
  readonly output: (state: AgentState, schema: Schema) => SomeOutput;
  /** The tool calls that wait for a person. */
  readonly pendingApprovals: (state: AgentState) => readonly ToolExecution[];
  /** The steps of the current run; the step in progress is last. */
  readonly steps: (state: AgentState) => readonly AgentStep[];
  /** The alternatives at each message. */
  readonly branches: (
    snapshot: Pick<SessionSnapshot, 'state' | 'tree'>,
  ) => (messageId: string) => MessageBranches;
  readonly stopReason: (state: AgentState) => StopReason | null;
  readonly stopSignals: (state: AgentState) => readonly StopSignal[];
};

/**
 * The selectors of a session. They work on any valid state, also on one that was parsed from JSON. They never
 * throw: a selector that fails reports the error once and returns its value for a state without messages.
 * @example
 * selectors.messages(session.store.getState().state)
 */
export const selectors: Selectors = {
  title: total('title', titleOf, () => ''),
  messages,
  usage: total('usage', usage, noUsage),
  budget: total('budget', budget, unspentBudget),
  output,
  pendingApprovals: total('pendingApprovals', pendingApprovals, () => nothing),
  steps: total('steps', steps, () => nothing),
  branches: total('branches', branches, () => noBranches),
  stopReason: total('stopReason', stopReason, () => null),
  stopSignals: total('stopSignals', stopSignals, () => nothing),
};

function unspentBudget({ budget: limits, sessionBudget }: SessionSnapshot): BudgetView {
  return budgetView(limits, {}, sessionBudget && { limits: sessionBudget, spent: {} });
}
