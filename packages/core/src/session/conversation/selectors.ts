import {
  stopReason,
  stopSignals,
  steps,
  usage,
  pendingApprovals,
} from '../../graph/agent-state/accessors.ts';
import { type BudgetView, budgetView } from '../../graph/execution-budget.ts';
import { none as noUsage } from '../../graph/usage.ts';
import { nothing } from '../../kit/memoize.ts';
import { total } from '../../kit/total.ts';
import type { SessionSnapshot } from '../agent-session.ts';
import { branches, noBranches } from '../branches/conversation-branches.ts';
import { budget, messages, output } from './conversation.ts';
import { titleOf } from './session-title.ts';

/** Functions that read a session for a user interface. Each returns the same object for the same state. */
export type Selectors = typeof selectors;

/**
 * The selectors of a session. They work on any valid state, also on one that was parsed from JSON. They never
 * throw: a selector that fails reports the error once and returns its value for a state without messages.
 * @example
 * selectors.messages(session.store.getState().state)
 */
export const selectors = {
  /** The title derived from the messages. */
  title: total('title', titleOf, () => ''),
  /** The messages of a chat, including the answer that streams. */
  messages,
  /** The usage of the current run, including subagents. */
  usage: total('usage', usage, noUsage),
  /** Spent amount, limit and remainder of each limit. */
  budget: total('budget', budget, unspentBudget),
  /** The answer as data of a schema. */
  output,
  /** The tool calls that wait for a person. */
  pendingApprovals: total('pendingApprovals', pendingApprovals, () => nothing),
  /** The steps of the current run; the step in progress is last. */
  steps: total('steps', steps, () => nothing),
  /** The alternatives at each message. */
  branches: total('branches', branches, () => noBranches),
  stopReason: total('stopReason', stopReason, () => null),
  stopSignals: total('stopSignals', stopSignals, () => nothing),
};

function unspentBudget({ budget: limits, sessionBudget }: SessionSnapshot): BudgetView {
  return budgetView(limits, {}, sessionBudget && { limits: sessionBudget, spent: {} });
}
