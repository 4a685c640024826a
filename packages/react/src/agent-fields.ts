import {
  type AgentState,
  type AgentSessionSnapshot,
  type AgentStep,
  type BudgetView,
  type ErrorInfo,
  type Message,
  type PersistenceState,
  type QueuedMessage,
  sessionSelectors,
  type SessionStatus,
  type StopReason,
  type StopSignal,
  type ToolExecution,
  type Usage,
} from '@vitrine/core';

/** The data that `useAgent` returns. */
export type AgentFields = {
  readonly id: string;
  /** False until a stored session has been read. */
  readonly isHydrated: boolean;
  readonly title: string;
  readonly state: AgentState;
  /** What a chat shows, the answer that streams included. */
  readonly messages: readonly Message[];
  readonly status: SessionStatus;
  readonly error: ErrorInfo | null;
  readonly stopReason: StopReason | null;
  readonly stopSignals: readonly StopSignal[];
  readonly steps: readonly AgentStep[];
  readonly usage: Usage;
  readonly budget: BudgetView;
  readonly pendingApprovals: readonly ToolExecution[];
  readonly queue: readonly QueuedMessage[];
  readonly persistence: PersistenceState;
};

/** How each field is read from a snapshot; every selector is stable. */
export const fieldSelectors: {
  readonly [Field in keyof AgentFields]: (snapshot: AgentSessionSnapshot) => AgentFields[Field];
} = {
  id: ({ id }) => id,
  isHydrated: ({ isHydrated }) => isHydrated,
  title: ({ title }) => title,
  state: ({ state }) => state,
  messages: ({ state }) => sessionSelectors.messages(state),
  status: ({ status }) => status,
  error: ({ error }) => error,
  stopReason: ({ state }) => sessionSelectors.stopReason(state),
  stopSignals: ({ state }) => sessionSelectors.stopSignals(state),
  steps: ({ state }) => sessionSelectors.steps(state),
  usage: ({ state }) => sessionSelectors.usage(state),
  budget: sessionSelectors.budget,
  pendingApprovals: ({ state }) => sessionSelectors.pendingApprovals(state),
  queue: ({ queue }) => queue,
  persistence: ({ persistence }) => persistence,
};
