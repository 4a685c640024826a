import type { ToolTrace } from '../graph/agent-state/step-transitions.ts';
import type { ContinuationEvaluation } from '../graph/continuation-evaluation.ts';
import type { Timestamp } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { InferenceResponse } from '../graph/inference-response.ts';
import type { LlmConfig } from '../graph/llm-config.ts';
import type { FilePart, SourcePart, ToolOutcome } from '../graph/message-part.ts';
import type { Message } from '../graph/message.ts';
import type { ResponseFormat } from '../graph/response-format.ts';
import type { StopSignal } from '../graph/stop-signal.ts';
import type { AgentState, ExecutionStatus, SentRequest } from '../graph/types.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';

/** Who made a change that was not the loop's own: a hook, tool or plugin by name, `app`, or `user`. */
type Authored = { readonly source: string | null };

type ExecutionEvent =
  /** A new execution begins, or a pending one of the same id starts to run. */
  | {
      readonly type: 'execution-start';
      readonly executionId: string;
      readonly model: string | null;
      /** Plugins whose state lives for one execution only. */
      readonly forgottenPlugins: readonly string[];
    }
  /** Nothing in the whole tree is in flight: it waits for a person. */
  | { readonly type: 'execution-pause' }
  /** It runs again: after a person's answer, or after a reload. */
  | { readonly type: 'execution-resume' }
  /** The one terminal event of a run, always the last. */
  | { readonly type: 'execution-end'; readonly status: 'completed' | 'stopped' | 'failed' };

type StepEvent =
  | { readonly type: 'step-start'; readonly stepId: string }
  /** The results of the calls stand in the messages of these ids, in call order; the step is archived. */
  | {
      readonly type: 'step-end';
      readonly resultMessageIds: readonly string[];
      readonly durationMs: number;
      /** Where traces go, as the agent has it. */
      readonly toolTrace: ToolTrace;
    };

type InferenceTold =
  /** The model is called; the partial answer of an attempt before this one is cleared. */
  | {
      readonly type: 'inference-start';
      readonly key: string;
      readonly attempt: number;
      readonly messageId: string;
      readonly sent: SentRequest;
      /** Those of its hashes that the state does not know yet. */
      readonly texts: { readonly [hash: string]: JsonValue };
    }
  /** A new `partId` is a new part; merged deltas count how many they were in `n`. */
  | {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly partId: string;
      readonly delta: string;
      readonly providerMetadata?: JsonObject;
      readonly n?: number;
    }
  | { readonly type: 'tool-call-start'; readonly toolCallId: string; readonly toolName: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
      readonly providerCallId: string | null;
      readonly providerMetadata?: JsonObject;
    }
  | { readonly type: 'file'; readonly part: FilePart }
  | { readonly type: 'source'; readonly part: SourcePart }
  /** The response that is kept, after the hooks; `inferenceId` is that of the `sent` that it answers. */
  | {
      readonly type: 'inference-end';
      readonly inferenceId: string;
      readonly response: InferenceResponse;
      readonly toolTrace: ToolTrace;
    };

/** State of a plugin as it stands after a write; null forgets it. */
export type PluginValue = {
  readonly pluginId: string;
  readonly version: number;
  readonly data: JsonValue;
};

type ToolEvent =
  | {
      readonly type: 'approval-request';
      readonly toolCallId: string;
      readonly reason: string | null;
      /** Why it is asked when the tool did not ask: its start could not be stored. */
      readonly cause?: 'not-stored';
    }
  | { readonly type: 'output-request'; readonly toolCallId: string }
  | {
      readonly type: 'approval-answer';
      readonly toolCallId: string;
      readonly decision: 'approved' | 'rejected';
      readonly comment: string | null;
      readonly isEdited: boolean;
    }
  | {
      readonly type: 'approval-remember';
      readonly toolName: string;
      readonly decision: 'approved' | 'rejected';
      readonly scope: 'execution' | 'session';
    }
  | { readonly type: 'tool-start'; readonly toolCallId: string; readonly key: string }
  | { readonly type: 'tool-progress'; readonly toolCallId: string; readonly progress: JsonValue }
  /** What the tool itself gave, with what it wrote; a person's output for a call that awaits one comes the same way. */
  | {
      readonly type: 'tool-end';
      readonly toolCallId: string;
      readonly status: ToolOutcome;
      readonly result?: JsonValue;
      readonly error: ErrorInfo | null;
      readonly durationMs: number | null;
      readonly pluginWrites: readonly PluginValue[];
    }
  /** What an edit of a person or a tool hook changed; the message shows the model what really ran. */
  | (Authored & {
      readonly type: 'call-change';
      readonly toolCallId: string;
      readonly toolName?: string;
      readonly input?: JsonValue;
      readonly result?: JsonValue;
      readonly status?: ToolOutcome;
      readonly error?: ErrorInfo | null;
    })
  /** After its after-tool-use hooks; the only end of a blocked, rejected or invalid call. */
  | {
      readonly type: 'call-settle';
      readonly toolCallId: string;
      readonly outcome: ToolOutcome;
      readonly error: ErrorInfo | null;
    }
  | {
      readonly type: 'subagent-start';
      readonly toolCallId: string;
      readonly name: string;
      readonly child: AgentState;
    }
  | { readonly type: 'subagent-end'; readonly toolCallId: string; readonly status: ExecutionStatus };

type ChangeEvent =
  | (Authored & { readonly type: 'message-add'; readonly message: Message; readonly section: string })
  /**
   * By id, never by place: `removed` go, `put` replace the message of their id, `added` stand behind the named message
   * (null: at the front). What others added meanwhile stays.
   */
  | (Authored & {
      readonly type: 'section-change';
      readonly name: string;
      readonly removed: readonly string[];
      readonly put: readonly Message[];
      readonly added: readonly { readonly after: string | null; readonly messages: readonly Message[] }[];
    })
  | (Authored & {
      readonly type: 'metadata-change';
      readonly set: JsonObject;
      readonly removed: readonly string[];
    })
  | (Authored & {
      readonly type: 'context-change';
      readonly systemPrompt?: string;
      readonly responseFormat?: ResponseFormat | null;
      readonly llmConfig?: LlmConfig | null;
    })
  /** A null `data` with version 0 forgets the plugin's state. */
  | (Authored & PluginValue & { readonly type: 'plugin-change'; readonly isForgotten?: boolean })
  /** `executionId` names the pending execution that a signal to an idle agent makes. */
  | { readonly type: 'stop-signal'; readonly signal: StopSignal; readonly executionId?: string }
  | (Authored & { readonly type: 'continuation-request'; readonly executionId?: string })
  | { readonly type: 'continuation-evaluate'; readonly evaluation: ContinuationEvaluation }
  /** A model call waits for room that others hold in the budget. */
  | { readonly type: 'budget-wait'; readonly held: { readonly tokens: number; readonly cost: number } }
  | { readonly type: 'error-record'; readonly error: ErrorInfo; readonly executionId?: string };

/** Everything that changes an agent's state, as plain JSON. */
export type AgentEventBody = ExecutionEvent | StepEvent | InferenceTold | ToolEvent | ChangeEvent;

/** Told to listeners only: it changes nothing and is not stored. */
export type AgentSignalBody =
  | { readonly type: 'tool-call-delta'; readonly toolCallId: string; readonly delta: string }
  | {
      readonly type: 'hook-end';
      readonly hook: string;
      readonly point: string;
      readonly durationMs: number;
    }
  | {
      readonly type: 'hook-violation';
      readonly hook: string;
      readonly point: string;
      readonly field: string;
    }
  /** The model is told that the file is not available: its bytes are not in the store. */
  | {
      readonly type: 'attachment-missing';
      readonly messageId: string;
      readonly hash: string;
      readonly filename: string | null;
    }
  | {
      readonly type: 'inference-retry';
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ErrorInfo;
    };

type Told = {
  readonly at: Timestamp;
  /** The tool executions between the root and the agent that speaks; empty for the root. */
  readonly path: readonly string[];
};

/** One change of one agent. `seq` counts the events of that agent from 1. */
export type AgentChange = AgentEventBody & Told & { readonly seq: number };
/** One signal; it has no `seq`. */
export type AgentSignal = AgentSignalBody & Told & { readonly seq: null };
/** What listeners hear: a closed union of plain JSON. */
export type AgentEvent = AgentChange | AgentSignal;
/** The names of the events, those of signals included. */
export type AgentEventType = AgentEvent['type'];
/** The event of one type, e.g. `AgentEventOf<'tool-end'>`. */
export type AgentEventOf<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;
/** Hears an event with the root's state after it. What it throws harms nobody. */
export type AgentEventListener = (event: AgentEvent, state: AgentState) => void;
