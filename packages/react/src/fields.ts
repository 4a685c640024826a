import {
  type AgentDefinition,
  type AgentState,
  type AgentStep,
  type ChatMessage,
  type ErrorInfo,
  type SessionSnapshot,
  type SessionStatus,
  sessionViews,
  type StopReason,
  type StopSignal,
  type ToolExecution,
  type Usage,
} from '@vitrine/core';
import type {
  BudgetView,
  MessageBranches,
  PersistenceState,
  QueuedMessage,
  SessionActivity,
} from '@vitrine/core/types';
import type { OutputView } from './agent-types.ts';
import { equalBudget } from './equal-budget.ts';

/** How a field is read from a snapshot, and when two values of it are the same. Selectors are stable. */
export type Field<Value> = {
  readonly select: (snapshot: SessionSnapshot, agent: AgentDefinition) => Value;
  /** Default: `Object.is`. */
  readonly equal?: (a: Value, b: Value) => boolean;
};

/** The data of a session, as `useAgent` returns it. */
export type AgentFields = {
  /** Null until an anonymous session is first used. */
  readonly id: string | null;
  readonly state: AgentState;
  /** What a chat shows, the answer that streams included. */
  readonly messages: readonly ChatMessage[];
  readonly status: SessionStatus;
  /** What is going on, in one value: thinking, answering, which tool, retrying, waiting for whom. */
  readonly activity: SessionActivity;
  /** What the last turn failed with or was refused for, until the next one or `clearError`. */
  readonly error: ErrorInfo | null;
  readonly stopReason: StopReason | null;
  readonly stopSignals: readonly StopSignal[];
  /** The steps of the present execution, the one in flight last. */
  readonly steps: readonly AgentStep[];
  /** What the present execution has spent, subagents included. */
  readonly usage: Usage;
  /** Spent, limit and left, per limit. */
  readonly budget: BudgetView;
  /** The calls that wait for a person. */
  readonly pendingApprovals: readonly ToolExecution[];
  /** The answer as data while it comes in and when it is complete; null for an agent without a schema for it. */
  readonly output: OutputView<unknown> | null;
  /** Messages that wait for their turn, the next one first. */
  readonly queue: readonly QueuedMessage[];
  /** What a person has typed and not sent. */
  readonly draft: string;
  readonly persistence: PersistenceState;
  /** The alternatives at the place of a message; another function when there may be others. */
  readonly branches: (messageId: string) => MessageBranches;
};

/** The one table of fields: `useAgent`'s getters and the fine-grained hooks read a session through it. */
export const fields: { readonly [Name in keyof AgentFields]: Field<AgentFields[Name]> } = {
  id: { select: ({ id }) => id },
  state: { select: ({ state }) => state },
  messages: { select: ({ state }) => sessionViews(state).messages(state) },
  status: { select: ({ status }) => status },
  activity: { select: ({ activity }) => activity },
  error: { select: ({ error }) => error },
  stopReason: { select: ({ state }) => sessionViews(state).stopReason(state) },
  stopSignals: { select: ({ state }) => sessionViews(state).stopSignals(state) },
  steps: { select: ({ state }) => sessionViews(state).steps(state) },
  usage: { select: ({ state }) => sessionViews(state).usage(state) },
  budget: { select: (snapshot) => sessionViews(snapshot.state).budget(snapshot), equal: equalBudget },
  pendingApprovals: { select: ({ state }) => sessionViews(state).pendingApprovals(state) },
  output: {
    select: ({ state }, { responseSchema }) =>
      responseSchema === null
        ? null
        : (sessionViews(state).output(state, responseSchema) as OutputView<unknown>),
  },
  queue: { select: ({ queue }) => queue },
  draft: { select: ({ draft }) => draft },
  persistence: { select: ({ persistence }) => persistence },
  branches: { select: (snapshot) => sessionViews(snapshot.state).branches(snapshot) },
};
