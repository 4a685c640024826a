import {
  type AgentDefinition,
  type AgentState,
  type AgentStep,
  type ChatMessage,
  type ErrorInfo,
  selectors,
  type SessionSnapshot,
  type SessionStatus,
  type StopReason,
  type StopSignal,
  type Usage,
} from '@vitrine/core';
import type {
  BudgetView,
  MessageBranches,
  PersistenceState,
  QueuedMessage,
  SessionActivity,
} from '@vitrine/core/types';
import type { OutputViewOf, PendingCall } from './agent-types.ts';

/** A selector of one field and its equality. Selectors are stable. */
export type Field<Value> = {
  readonly select: (snapshot: SessionSnapshot, agent: AgentDefinition) => Value;
  /** Default: `Object.is`. */
  readonly equal?: (a: Value, b: Value) => boolean;
};

/** True while the model or a tool works. */
export function isBusy({ status }: Pick<SessionSnapshot, 'status'>): boolean {
  return status === 'submitted' || status === 'streaming';
}

/** The data of a session as `useAgent` returns it, typed by its agent. */
export interface AgentFields<Agent extends AgentDefinition = AgentDefinition> {
  /** Null until an anonymous session is first used. */
  readonly id: string | null;
  /** The whole state of the agent; read it with the functions of `AgentState`. */
  readonly state: AgentState;
  /** The messages of a chat, including the answer that streams. */
  readonly messages: readonly ChatMessage<Agent>[];
  /** The status of the session, in one word; `activity` has the details. */
  readonly status: SessionStatus;
  /** True while the model or a tool works: the status is `submitted` or `streaming`. */
  readonly isBusy: boolean;
  /** True while `stop` would end a run: one that works, or one that waits for a person. */
  readonly canStop: boolean;
  /** The current activity in one value: thinking, answering, a running tool, retrying, waiting for a person. */
  readonly activity: SessionActivity;
  /** The error of the last turn that failed or was refused, until the next turn or `clearError`. */
  readonly error: ErrorInfo | null;
  /** The reason that ends the current or last run; null while nothing asks it to stop. */
  readonly stopReason: StopReason | null;
  /** The signals that asked the run to stop, each with its reason, message and source. */
  readonly stopSignals: readonly StopSignal[];
  /** The steps of the current run; the step in progress is last. */
  readonly steps: readonly AgentStep[];
  /** The usage of the current run, including subagents. */
  readonly usage: Usage;
  /** Spent amount, limit and remainder of each limit. */
  readonly budget: BudgetView;
  /** The tool calls that wait for a person; `toolCall.name` narrows the type of `toolCall.input`. */
  readonly pendingApprovals: readonly PendingCall<Agent>[];
  /**
   * The structured output, partial while it streams and final when it is complete; null for an agent without a schema.
   */
  readonly output: OutputViewOf<Agent>;
  /** The queued messages, the next one first. */
  readonly queue: readonly QueuedMessage[];
  /** The text that a person has typed and not sent. */
  readonly draft: string;
  /** The state of saving: its status, the durability of the store, a warning for users. */
  readonly persistence: PersistenceState;
  /** The place where the session runs: a tab, a server, or nobody while no runner is known. */
  readonly where: SessionSnapshot['where'];
  /** Messages and answers of this page that wait for the connection to the place where the session runs. */
  readonly unsent: SessionSnapshot['unsent'];
  /** The mark of a session that was moved to another store, which has it now; null for one that is here. */
  readonly movedTo: SessionSnapshot['movedTo'];
  /** Looks up the alternatives of a message. The function changes identity when the alternatives may have changed. */
  readonly branches: (messageId: string) => MessageBranches;
}

/** The single table of fields: `useAgent`'s getters and the fine-grained hooks read a session through it. */
export const fields: { readonly [Name in keyof AgentFields]: Field<AgentFields[Name]> } = {
  id: { select: ({ id }) => id },
  state: { select: ({ state }) => state },
  messages: { select: ({ state }) => selectors.messages(state) },
  status: { select: ({ status }) => status },
  isBusy: { select: isBusy },
  canStop: { select: (snapshot) => isBusy(snapshot) || snapshot.status === 'awaiting-input' },
  activity: { select: ({ activity }) => activity },
  error: { select: ({ error }) => error },
  stopReason: { select: ({ state }) => selectors.stopReason(state) },
  stopSignals: { select: ({ state }) => selectors.stopSignals(state) },
  steps: { select: ({ state }) => selectors.steps(state) },
  usage: { select: ({ state }) => selectors.usage(state) },
  budget: { select: (snapshot) => selectors.budget(snapshot), equal: equalBudget },
  pendingApprovals: { select: ({ state }) => selectors.pendingApprovals(state) },
  output: {
    select: ({ state }, { responseSchema }) =>
      (responseSchema === null ? null : selectors.output(state, responseSchema)) as AgentFields['output'],
  },
  queue: { select: ({ queue }) => queue },
  draft: { select: ({ draft }) => draft },
  persistence: { select: ({ persistence }) => persistence },
  where: { select: ({ where }) => where },
  unsent: { select: ({ unsent }) => unsent },
  movedTo: { select: ({ movedTo }) => movedTo },
  branches: { select: (snapshot) => selectors.branches(snapshot) },
};

function equalBudget(a: object, b: object): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
