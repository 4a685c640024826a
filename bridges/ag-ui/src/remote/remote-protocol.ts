import type { Message } from '@vitrine/core/internal/graph/message';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { ToolDescription } from '@vitrine/core/internal/model/inference-client';
import type { RemoteQuestion, RemoteRun } from './remote-run.ts';
import type { SuspendedSubagent } from '@vitrine/inspect/internal/foreign/observed-session';
import type { RunLanes } from './subagent-lanes.ts';

/** The state of the plugin of a backend: the state that it shares, its open questions, and unused events by name. */
export type RemoteState = {
  readonly state: JsonValue;
  readonly interrupts: readonly RemoteQuestion[];
  readonly skipped: { readonly [what: string]: number };
  /** The place where the bridge goes on, kept with the conversation. */
  readonly place?: JsonValue;
  /** The same before the model call that was told last, which a reload may interrupt before it counts. */
  readonly before?: BeforeCall;
  /** The subagent of the backend that the agent stands for; absent for the agent itself. */
  readonly subagent?: RemoteSubagent;
};

/** A subagent of a backend. */
export type RemoteSubagent = { readonly id: string; readonly name: string };

/** `RemoteState.before`. */
export type BeforeCall = Pick<RemoteState, 'place' | 'interrupts'> & { readonly inferenceId: string };

/** The decision of a person about a question of the backend; the decision is null when the conversation went on without one. */
export type RemoteAnswer = {
  readonly question: RemoteQuestion;
  readonly decision: 'approved' | 'rejected' | null;
  readonly comment: string | null;
  /** The call that stands for the question, with its present arguments. */
  readonly call: { readonly name: string; readonly input: JsonValue };
  /** True when the person changed the arguments. */
  readonly isEdited: boolean;
};

export type RemoteAsk = {
  /** Id of the agent that asks, the same for all its runs. */
  readonly agentId: string;
  /** The conversation; calls have the ids of the backend. */
  readonly messages: readonly Message[];
  /** Tools that run here. */
  readonly tools: readonly ToolDescription[];
  /** The state that the backend shares. */
  readonly state: JsonValue;
  /** Answers to all questions of the last run. */
  readonly answers: readonly RemoteAnswer[];
  /** Subagents that waited for these answers. */
  readonly waiting: readonly SuspendedSubagent[];
  /** The run that asked, with what nobody has taken of it; null after a reload. */
  readonly earlier: RunLanes | null;
  /** `RemoteState.place` as the last run left it; undefined before. */
  readonly place: JsonValue | undefined;
  /** Id of the execution that asks, the same after a reload. */
  readonly executionId: string;
  /** Id of the model call that asks; absent for a call of a tool. */
  readonly inferenceId?: string;
  /** True for a request that a reload interrupted, which may have reached the backend. */
  readonly isAgain: boolean;
  readonly onSkipped: (what: string) => void;
};

export type RemoteProtocol = {
  /** The id of the plugin, and the agent's name by default. */
  readonly id: string;
  /** Its name in sentences. */
  readonly name: string;
  /** True when a run goes on without its reader and can be joined again. */
  readonly canJoin: boolean;
  readonly open: (ask: RemoteAsk) => OpenedRun;
};

/** A run with what a protocol knows of it. */
export type OpenedRun = RemoteRun & {
  /** The place where the bridge goes on, as of the event that was taken last. */
  readonly place?: () => JsonValue;
  /** Ends the run at the backend, where closing its stream does not. */
  readonly cancel?: () => void;
  /** The events of its subagents; absent where they are not told apart. */
  readonly lanes?: RunLanes;
};

/** The state of a conversation that has not begun. */
export const noState: RemoteState = { state: {}, interrupts: [], skipped: {} };
