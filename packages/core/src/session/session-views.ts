import type { ChatMessage } from '../agent/chat-message.ts';
import type { Schema } from '../agent/schema.ts';
import { pendingApprovals, steps, stopReason, stopSignals } from '../graph/agent-state/views.ts';
import { type BudgetView, budgetView } from '../graph/limits/budget-view.ts';
import { none as noUsage } from '../graph/no-usage.ts';
import type { AgentState } from '../graph/types.ts';
import type { Usage } from '../graph/usage.ts';
import type { SessionSnapshot } from './agent-session.ts';

// What a page shows of a session before it knows more than that there is one. All that can be seen of a state in which
// something has happened comes with what makes such states: the engine, and `AgentState` of an application.

/** An answer as data: as much as has come, and the whole when it fits its schema. */
export type SomeOutput = { readonly partial: unknown; readonly final: unknown };

/** The answer of an agent that has given none. */
export const noOutput: SomeOutput = { partial: null, final: null };

/** The views that take more than a look into the state. */
export type LaterViews = {
  readonly messages: (state: AgentState) => readonly ChatMessage[];
  readonly usage: (state: AgentState) => Usage;
  readonly budget: (snapshot: SessionSnapshot) => BudgetView;
  readonly output: (state: AgentState, schema: Schema) => SomeOutput;
};

const nothing: readonly never[] = [];

const blankViews: LaterViews = {
  messages: () => nothing,
  usage: noUsage,
  budget: ({ budget }) => budgetView(budget, {}),
  output: () => noOutput,
};

let later: LaterViews | null = null;

/** What makes states brings what shows them. */
export function bringViews(views: LaterViews): void {
  later = views;
}

/** True when there is nothing to show: no message and no run. Such a state is shown alike, whatever has come since. */
export function isBlank({ execution, context }: AgentState): boolean {
  return execution === null && context.store.sections.every(({ messages }) => messages.length === 0);
}

/** What shows a state that is not blank; null as long as nothing has brought it. */
export function laterViews(): LaterViews | null {
  return later;
}

const viewsOf = (state: AgentState): LaterViews => (later === null || isBlank(state) ? blankViews : later);

/** What a user interface shows of a session: as `Conversation`, for pages that start without anything to show. */
export const SessionViews: LaterViews & {
  readonly pendingApprovals: typeof pendingApprovals;
  readonly steps: typeof steps;
  readonly stopReason: typeof stopReason;
  readonly stopSignals: typeof stopSignals;
} = {
  messages: (state) => viewsOf(state).messages(state),
  usage: (state) => viewsOf(state).usage(state),
  budget: (snapshot) => viewsOf(snapshot.state).budget(snapshot),
  output: (state, schema) => viewsOf(state).output(state, schema),
  pendingApprovals,
  steps,
  stopReason,
  stopSignals,
};
