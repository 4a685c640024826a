import type { ToolTrace } from '../graph/agent-state/transitions.ts';
import type { ContinuationEvaluation } from '../graph/execution-continuation.ts';
import type { Timestamp } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { InferenceResponse } from '../graph/inference-response.ts';
import type { LlmConfig, ModelPrice, ResponseFormat } from '../graph/llm-config.ts';
import type { FilePart, SourcePart, ToolOutcome, Message } from '../graph/message.ts';
import type { StopSignal } from '../graph/stop-signal.ts';
import type {
  AgentState,
  BreakAddress,
  BreakCondition,
  BreakEdit,
  ExecutionStatus,
  Grant,
  RunLimits,
  SentRequest,
} from '../graph/types.ts';
import type { Usage } from '../graph/usage.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import { stateAtPath } from './state-at.ts';

/** The id of the principal whose command caused the event; absent where commands name nobody. */
type Given = { readonly by?: string };

/** The author of a change that the loop did not make: a hook, tool or plugin by name, `app`, or `user`. */
type Authored = { readonly source: string | null };

/**
 * Milliseconds that the machine slept since the step was started or resumed; they do not count as work.
 * Absent for 0.
 */
type Asleep = { readonly asleepMs?: number };

type ExecutionEvent =
  /** A new execution begins, or a pending one of the same id starts to run. */
  | (Given & {
      readonly type: 'execution-start';
      readonly executionId: string;
      readonly model: string | null;
      /** The turn of the session that begins the execution; absent without a session. */
      readonly turnId?: string;
      /** Plugins whose state lives for one execution only. */
      readonly forgottenPlugins: readonly string[];
      /** The limits of the agent; absent in a journal of an earlier version. */
      readonly limits?: RunLimits;
    })
  /** The run waits for a person, and nothing in the whole tree is in flight. */
  | ({ readonly type: 'execution-pause' } & Asleep)
  /**
   * The run continues: after a person's answer, after a reload, or, behind its end, because a person wanted it to go on.
   */
  | {
      readonly type: 'execution-resume';
      /** The limits of the agent, when a loop has taken the run up. */
      readonly limits?: RunLimits;
    }
  /** The terminal event of a run: the last one, unless a person lets the run go on. */
  | { readonly type: 'execution-end'; readonly status: 'completed' | 'stopped' | 'failed' };

type StepEvent =
  /** A step begins. */
  | { readonly type: 'step-start'; readonly stepId: string }
  /** Archives the step. The results of its calls are in the messages of these ids, in call order. */
  | ({
      readonly type: 'step-end';
      readonly resultMessageIds: readonly string[];
      /** Milliseconds of work, without waiting for a person. */
      readonly durationMs: number;
      /** The agent's setting for the place of tool traces. */
      readonly toolTrace: ToolTrace;
    } & Asleep);

/** The fields of a request that a hook replaced before the model call, and the hook. */
export type ReplacedRequest = {
  readonly hook: string;
  /** Names of `SentRequest` fields, e.g. `messages`, `prompt` or `settings`. */
  readonly fields: readonly string[];
  /** The system prompt before the hook, once for each prompt that it replaced. */
  readonly prompt?: string;
};

type InferenceEventBody =
  /** Calls the model, and clears the partial answer of an earlier attempt. */
  | {
      readonly type: 'inference-start';
      readonly key: string;
      readonly attempt: number;
      readonly messageId: string;
      readonly sent: SentRequest;
      /** Texts of `sent` that the state does not hold yet, by hash. */
      readonly texts: { readonly [hash: string]: JsonValue };
      /** The replacement of the prepared request by a hook; absent without one. */
      readonly replaced?: ReplacedRequest;
      /** The plugins that added instructions, context or tools, by id; absent without any. */
      readonly contributors?: readonly string[];
    }
  /**
   * The first content of an answer has come, `afterMs` milliseconds after its call by the monotonic clock. It changes
   * nothing else.
   */
  | { readonly type: 'first-delta'; readonly afterMs: number }
  /** A delta of a part. A new `partId` begins a part; `n` is the number of deltas that were merged. */
  | {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly partId: string;
      readonly delta: string;
      readonly providerMetadata?: JsonObject;
      readonly n?: number;
    }
  /** The model begins a tool call; its input is not complete yet. */
  | { readonly type: 'tool-call-start'; readonly toolCallId: string; readonly toolName: string }
  /** The model has sent a complete tool call. */
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
      readonly providerCallId: string | null;
      readonly providerMetadata?: JsonObject;
    }
  /** The model has sent a file. */
  | { readonly type: 'file'; readonly part: FilePart }
  /** The model has named a source of its answer. */
  | { readonly type: 'source'; readonly part: SourcePart }
  /**
   * The charge of a model call without an answer, of one that a reload or crash interrupted, or of one made by a hook.
   * `hook` names the hook and is null for the step's own call.
   */
  | {
      readonly type: 'usage-charge';
      readonly reason: 'failed' | 'aborted' | 'interrupted' | 'hook';
      readonly hook: string | null;
      readonly usage: Usage;
      /**
       * Key of a hook's call, which a replay answers with `result`; absent when the call gave no result.
       */
      readonly key?: string;
      readonly result?: JsonValue;
    }
  /** The stored response, after the hooks. `inferenceId` equals that of the `sent` it answers. */
  | {
      readonly type: 'inference-end';
      readonly inferenceId: string;
      readonly response: InferenceResponse;
      readonly toolTrace: ToolTrace;
      /** The hook that replaced the response; absent without one. */
      readonly hook?: string;
      /**
       * The limit of calls: those beyond `most` are not run and have this error as their result, as has the one
       * that the output limit cut. Absent: all may run.
       */
      readonly callLimit?: { readonly most: number; readonly error: ErrorInfo };
    };

/** The state of a plugin after a write; null forgets it. */
export type PluginValue = {
  readonly pluginId: string;
  readonly version: number;
  readonly data: JsonValue;
};

type Outcome = { readonly toolCallId: string; readonly outcome: ToolOutcome };

type ToolEvent =
  /** A call waits for a person's approval. `isJoint` calls of a step, and of the subagents in it, start with the last answer. */
  | {
      readonly type: 'approval-request';
      readonly toolCallId: string;
      readonly reason: string | null;
      /** The reason for a question that the tool did not ask: its start could not be stored. */
      readonly cause?: 'not-stored';
      readonly isJoint?: true;
      /** The JSON Schema of the answer that a running tool asks for; absent for the question whether it may run. */
      readonly form?: JsonObject;
    }
  /** A call waits for the output that the interface provides. */
  | { readonly type: 'output-request'; readonly toolCallId: string }
  /** A person has approved or rejected a call. */
  | (Given & {
      readonly type: 'approval-answer';
      readonly toolCallId: string;
      readonly decision: 'approved' | 'rejected';
      readonly comment: string | null;
      readonly isEdited: boolean;
      /** The answer to the form of the question. */
      readonly answer?: JsonValue;
    })
  /** A decision applies to all later calls of a tool, in this execution or in the session. */
  | (Given & {
      readonly type: 'approval-remember';
      readonly toolName: string;
      readonly decision: 'approved' | 'rejected';
      readonly scope: 'execution' | 'session';
    })
  /** A tool begins to run. `key` is the same in every attempt, for idempotent tools. */
  | {
      readonly type: 'tool-start';
      readonly toolCallId: string;
      readonly key: string;
      /** The arguments after the schema of the tool, when it changed them. */
      readonly input?: JsonValue;
    }
  /** A running tool has reported its progress. */
  | { readonly type: 'tool-progress'; readonly toolCallId: string; readonly progress: JsonValue }
  /** The tool's own result and plugin writes. The output that a person gives for a call has the same event. */
  | (Given & {
      readonly type: 'tool-end';
      readonly toolCallId: string;
      readonly status: ToolOutcome;
      readonly result?: JsonValue;
      readonly error: ErrorInfo | null;
      readonly durationMs: number | null;
      /** Milliseconds before the tool first waited, in which nothing else could run; absent below 50. */
      readonly blockedMs?: number;
      readonly pluginWrites: readonly PluginValue[];
    })
  /** A change by a person or a tool hook. The message shows the model the call that really ran. */
  | (Authored &
      Given & {
        readonly type: 'call-change';
        readonly toolCallId: string;
        readonly toolName?: string;
        readonly input?: JsonValue;
        readonly result?: JsonValue;
        readonly status?: ToolOutcome;
        readonly error?: ErrorInfo | null;
      })
  /**
   * The settlement of a call, after its after-tool-use hooks. It is the only end of a blocked, rejected or
   * invalid call.
   */
  | (Outcome & {
      readonly type: 'call-settle';
      readonly error: ErrorInfo | null;
      /** The hook that blocked the call; absent for other outcomes. */
      readonly hook?: string;
    })
  /** A call that ran outside this loop has ended, and is settled without hooks. A failed one has the text of its error. */
  | (Outcome & { readonly type: 'tool-elsewhere'; readonly result: JsonValue })
  /** A subagent begins its task. Its own events have the call in their `path`. */
  | {
      readonly type: 'subagent-start';
      readonly toolCallId: string;
      readonly name: string;
      readonly child: AgentState;
    }
  /** A subagent has ended, with the status of its execution. */
  | { readonly type: 'subagent-end'; readonly toolCallId: string; readonly status: ExecutionStatus };

type ChangeEvent =
  /** Adds a message at the end of a section. */
  | (Authored & Given & { readonly type: 'message-add'; readonly message: Message; readonly section: string })
  /**
   * A change of a section by message id: `removed` are deleted, `put` replace the message of their id,
   * `added` are inserted after the named message (null: at the front). Concurrent changes of others are
   * kept.
   */
  | (Authored & {
      readonly type: 'section-change';
      readonly name: string;
      readonly removed: readonly string[];
      readonly put: readonly Message[];
      readonly added: readonly { readonly after: string | null; readonly messages: readonly Message[] }[];
      /** Messages of any section whose former texts are deleted everywhere; steps keep only their ids. */
      readonly erased?: readonly string[];
    })
  /** Sets and removes entries of the agent's metadata. */
  | (Authored & {
      readonly type: 'metadata-change';
      readonly set: JsonObject;
      readonly removed: readonly string[];
    })
  /** Changes the system prompt, the response format or the model settings. */
  | (Authored & {
      readonly type: 'context-change';
      readonly systemPrompt?: string;
      readonly responseFormat?: ResponseFormat | null;
      readonly llmConfig?: LlmConfig | null;
    })
  /** A write of plugin state. A null `data` with version 0 forgets it. */
  | (Authored & PluginValue & { readonly type: 'plugin-change'; readonly isForgotten?: boolean })
  /** A stop signal. `executionId` names the pending execution that a signal to an idle agent creates. */
  | (Given & { readonly type: 'stop-signal'; readonly signal: StopSignal; readonly executionId?: string })
  /** Asks the run to continue in spite of its stop signals, which it consumes. */
  | (Authored & { readonly type: 'continuation-request'; readonly executionId?: string })
  /** The check after a step: whether the run goes on, and by which rule. */
  | { readonly type: 'continuation-evaluate'; readonly evaluation: ContinuationEvaluation }
  /** The price of a model as the client of the agent told it; null for an unknown one. `key` names the question. */
  | {
      readonly type: 'price-record';
      readonly key: string;
      readonly model: string | null;
      readonly price: ModelPrice | null;
    }
  /** Amounts beyond the limits of the run, which its end had reached. */
  | (Authored & Given & { readonly type: 'budget-grant'; readonly grant: Grant })
  /** A model call waits for room in the budget that other calls hold. */
  | { readonly type: 'budget-wait'; readonly held: { readonly tokens: number; readonly cost: number } }
  /** Sets a breakpoint of the root agent, or takes it away when `on` is null. */
  | {
      readonly type: 'break-set';
      readonly breakpointId: string;
      readonly on: BreakCondition | null;
      /** True for one that is taken away with its hit and with the end of the run. */
      readonly isOnce: boolean;
    }
  /** A breakpoint stops the agent: it begins no further call until a person releases it. */
  | { readonly type: 'break-hit'; readonly breakpointId: string; readonly place: BreakAddress }
  /** A person lets the agent go on. `edit` names what the events before it changed, if anything. */
  | (Given & { readonly type: 'break-release'; readonly edit?: readonly (keyof BreakEdit)[] })
  /** Records an error on the execution. */
  | { readonly type: 'error-record'; readonly error: ErrorInfo; readonly executionId?: string };

/** Every event that changes an agent's state, as plain JSON. */
export type AgentEventBody = ExecutionEvent | StepEvent | InferenceEventBody | ToolEvent | ChangeEvent;

/** An event for listeners only. It changes no state and is not stored. */
export type AgentSignalBody =
  /** A piece of the input of a tool call, as it streams. */
  | { readonly type: 'tool-call-delta'; readonly toolCallId: string; readonly delta: string }
  /** A hook has returned. */
  | {
      readonly type: 'hook-end';
      readonly hook: string;
      readonly point: string;
      readonly durationMs: number;
    }
  /** A hook has replaced a field that nothing reads at its point. */
  | {
      readonly type: 'hook-violation';
      readonly hook: string;
      readonly point: string;
      readonly field: string;
    }
  /** A file whose bytes are not in the store. The model is told that it is not available. */
  | {
      readonly type: 'attachment-missing';
      readonly messageId: string;
      readonly hash: string;
      readonly filename: string | null;
    }
  /** A model call has failed and is made again after `delayMs`. */
  | {
      readonly type: 'inference-retry';
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ErrorInfo;
    };

type EventPlace = {
  readonly at: Timestamp;
  /** The ids of the tool executions between the root and the agent of the event; empty for the root. */
  readonly path: readonly string[];
};

/** One change of one agent. `seq` counts the events of that agent from 1. */
export type AgentChange = AgentEventBody & EventPlace & { readonly seq: number };
/** One signal; it has no `seq`. */
export type AgentSignal = AgentSignalBody & EventPlace & { readonly seq: null };
/** An event as listeners receive it: a closed union of plain JSON. */
export type AgentEvent = AgentChange | AgentSignal;
/** The types of all events, signals included. */
export type AgentEventType = AgentEvent['type'];
/** The event of one type, e.g. `AgentEventOf<'tool-end'>`. */
export type AgentEventOf<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;
/**
 * A listener that receives each event with the root's state after it. Errors that it throws are reported
 * and ignored.
 */
export type AgentEventListener = (event: AgentEvent, state: AgentState) => void;

/**
 * The agent, execution and step that an event belongs to, derived from its path and the root's state after
 * it.
 */
export type EventAddress = {
  readonly agentId: string;
  readonly parentAgentId: string | null;
  readonly executionId: string | null;
  /** Counted from 1; null outside any step. */
  readonly stepNumber: number | null;
};

/** Returns the address of an event, or null when the agent at its path is no longer present. */
export function eventAddress(event: AgentEvent, state: AgentState): EventAddress | null {
  const agent = stateAtPath(state, event.path);
  if (agent === null) return null;
  const { agentId, parentAgentId, execution } = agent;
  const stepNumber = stepNumberOf(event, agent);
  return { agentId, parentAgentId, executionId: execution?.executionId ?? null, stepNumber };
}

/** The number of the step that an event of an agent belongs to, by the agent's state after it; null outside of steps. */
export function stepNumberOf(event: AgentEvent, { execution }: AgentState): number | null {
  if (event.type === 'continuation-evaluate') return event.evaluation.stepNumber;
  const finished = execution?.stepExecutions.length ?? 0;
  if (event.type === 'step-end') return finished;
  return execution?.currentStep ? finished + 1 : null;
}
