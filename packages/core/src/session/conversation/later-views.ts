import type { ChatMessage } from '../../agent/chat-message.ts';
import type { Schema } from '../../agent/schema.ts';
import type { BudgetView } from '../../graph/limits/budget-view.ts';
import type { StopReason } from '../../graph/stop-reason.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import type { AgentState, AgentStep, ToolExecution } from '../../graph/types.ts';
import type { Usage } from '../../graph/usage.ts';
import type { SessionSnapshot } from '../agent-session.ts';
import type { MessageBranches } from '../branches/message-branches.ts';

/** An answer as data: the partial value, and the final one when it fits its schema. */
export type SomeOutput = { readonly partial: unknown; readonly final: unknown };

/**
 * The views of a state that is not blank. They are loaded with the code that makes such states (the engine,
 * and `AgentState` of an application), because a page starts with blank sessions.
 */
export type SessionViews = {
  /** The title derived from the messages. */
  readonly title: (state: AgentState) => string;
  readonly messages: (state: AgentState) => readonly ChatMessage[];
  readonly usage: (state: AgentState) => Usage;
  readonly budget: (snapshot: SessionSnapshot) => BudgetView;
  readonly output: (state: AgentState, schema: Schema) => SomeOutput;
  readonly pendingApprovals: (state: AgentState) => readonly ToolExecution[];
  readonly steps: (state: AgentState) => readonly AgentStep[];
  /** The alternatives at each message. */
  readonly branches: (
    snapshot: Pick<SessionSnapshot, 'state' | 'tree'>,
  ) => (messageId: string) => MessageBranches;
  readonly stopReason: (state: AgentState) => StopReason | null;
  readonly stopSignals: (state: AgentState) => readonly StopSignal[];
};

let later: SessionViews | null = null;

/** Registers the views; called by code that makes states. */
export function bringViews(views: SessionViews): void {
  later = views;
}

/** Returns the registered views; null before any code registered them. */
export function laterViews(): SessionViews | null {
  return later;
}

/** True for a state without messages and runs. It looks the same with and without the registered views. */
export function isBlank({ execution, context }: AgentState): boolean {
  return execution === null && context.store.sections.every(({ messages }) => messages.length === 0);
}
