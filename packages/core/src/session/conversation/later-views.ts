import type { ChatMessage } from '../../agent/chat-message.ts';
import type { Schema } from '../../agent/schema.ts';
import type { BudgetView } from '../../graph/limits/budget-view.ts';
import type { StopReason } from '../../graph/stop-reason.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import type { AgentState, AgentStep, ToolExecution } from '../../graph/types.ts';
import type { Usage } from '../../graph/usage.ts';
import type { SessionSnapshot } from '../agent-session.ts';
import type { MessageBranches } from '../branches/message-branches.ts';

/** An answer as data: as much as has come, and the whole when it fits its schema. */
export type SomeOutput = { readonly partial: unknown; readonly final: unknown };

/**
 * What shows a state in which something has happened. It comes with what makes such states (the engine, and `AgentState`
 * of an application), because a page starts with sessions of which there is nothing to show.
 */
export type SessionViews = {
  /** The title that a session has by itself. */
  readonly title: (state: AgentState) => string;
  readonly messages: (state: AgentState) => readonly ChatMessage[];
  readonly usage: (state: AgentState) => Usage;
  readonly budget: (snapshot: SessionSnapshot) => BudgetView;
  readonly output: (state: AgentState, schema: Schema) => SomeOutput;
  readonly pendingApprovals: (state: AgentState) => readonly ToolExecution[];
  readonly steps: (state: AgentState) => readonly AgentStep[];
  /** The alternatives at the place of each message. */
  readonly branches: (
    snapshot: Pick<SessionSnapshot, 'state' | 'tree'>,
  ) => (messageId: string) => MessageBranches;
  readonly stopReason: (state: AgentState) => StopReason | null;
  readonly stopSignals: (state: AgentState) => readonly StopSignal[];
};

let later: SessionViews | null = null;

/** What makes states brings what shows them. */
export function bringViews(views: SessionViews): void {
  later = views;
}

/** What shows a state that is not blank; null as long as nothing has brought it. */
export function laterViews(): SessionViews | null {
  return later;
}

/** True when there is nothing to show: no message and no run. Such a state is shown alike, whatever has come since. */
export function isBlank({ execution, context }: AgentState): boolean {
  return execution === null && context.store.sections.every(({ messages }) => messages.length === 0);
}
