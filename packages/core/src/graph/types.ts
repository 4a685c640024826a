import type { LlmConfig } from './llm-config.ts';
import type { ExecutionContinuation } from './execution-continuation.ts';
import type { Timestamp } from './env.ts';
import type { AgentId, ExecutionId, StepId, ToolExecutionId } from './id.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { ErrorInfo } from './error-info.ts';
import type { ResponseFormat } from './response-format.ts';
import type { InferenceResponse } from './inference-response.ts';
import type { ToolOutcome } from './message-part.ts';
import type { Message } from './message.ts';
import type { MessageStore } from './message-store.ts';

/** The root of the graph: who the agent is, what was said, and how far the current run has come. */
export type AgentState = {
  readonly agentId: AgentId;
  readonly parentAgentId: AgentId | null;
  readonly createdAt: Timestamp;
  /** Raised by every real change. */
  readonly updatedAt: Timestamp;
  /** How many events made it, counted from 1 per agent; see `run/events`. */
  readonly seq: number;
  /** How many executions this state has had, the current one included. */
  readonly executionCount: number;
  readonly llmConfig: LlmConfig | null;
  readonly context: AgentContext;
  readonly plugins: PluginStates;
  /** Prompts, tool lists and formats that a kept step was sent with, once each, by hash. */
  readonly texts: { readonly [hash: string]: JsonValue };
  /** Messages that a kept step was sent with and that have left their section since, by the key that the step names. */
  readonly retained: { readonly [key: string]: Message };
  /** Null until the first run and after `forNextExecution`. */
  readonly execution: ExecutionState | null;
};

/** What plugins keep in a state, by the plugin's id. */
export type PluginStates = { readonly [pluginId: string]: PluginStateEntry };

/** The state of one plugin, as it is stored. */
export type PluginStateEntry = {
  /** Schema version of the plugin that wrote it. */
  readonly version: number;
  /** Raised by every real change of `data`. */
  readonly revision: number;
  readonly data: JsonValue;
};

/**
 * What a run works on besides its own steps: messages, metadata, system prompt, and the format of the answer.
 */
export type AgentContext = {
  readonly store: MessageStore;
  readonly metadata: JsonObject;
  readonly systemPrompt: string;
  readonly responseFormat: ResponseFormat | null;
};

/** How far a run is: made, running or waiting, or ended in one of three ways. */
export type ExecutionStatus = 'pending' | 'in-progress' | 'completed' | 'stopped' | 'failed';

type ExecutionBase = {
  readonly executionId: ExecutionId;
  readonly startedAt: Timestamp;
  readonly stepExecutions: readonly StepExecution[];
  readonly continuation: ExecutionContinuation;
  readonly currentStepStartedAt: Timestamp | null;
  readonly currentStep: AgentStep | null;
  /** Milliseconds that it has waited for a person, or lay interrupted; they count against no limit. */
  readonly waitedMs: number;
  /** Since when it waits for a person; null while it does not. */
  readonly waitingSince: Timestamp | null;
  /** Errors outside any step. */
  readonly errors: readonly ErrorInfo[];
};

/** Made, but not running; `startedAt` is then the moment at which it was made. */
export type UnfinishedExecution = ExecutionBase & {
  readonly status: 'pending' | 'in-progress';
  readonly completedAt: null;
};
export type FinishedExecution = ExecutionBase & {
  readonly status: 'completed' | 'stopped' | 'failed';
  readonly completedAt: Timestamp | null;
};
/** One run of the agent. */
export type ExecutionState = UnfinishedExecution | FinishedExecution;

/** Messages of a section from the first to the last of the named ones; a null section means `AgentState.retained`. */
export type SentRange = {
  readonly section: string | null;
  readonly first: string;
  readonly last: string;
  readonly count: number;
};

/** What a model call was sent, by reference: hashes name `AgentState.texts`, ranges name messages. */
export type SentRequest = {
  /** Ours; the same for the call and what came back. */
  readonly inferenceId: string;
  readonly model: string | null;
  readonly settings: JsonObject;
  readonly toolChoice: ToolChoice;
  readonly prompt: string;
  readonly tools: string;
  readonly responseFormat: string | null;
  readonly messages: readonly SentRange[];
  /** Messages of the request that stand in no section, by the keys that ranges without a section name. */
  readonly extra: readonly Message[];
  /** What the compiler left out, and why. */
  readonly omitted: readonly { readonly range: SentRange; readonly reason: string }[];
};

/** One model call with what came of it. */
export type AgentStep = {
  readonly id: StepId;
  /** Null until the model was called. */
  readonly sent: SentRequest | null;
  readonly outputMessages: readonly Message[];
  readonly inferenceResponse: InferenceResponse | null;
  readonly toolExecutions: readonly ToolExecution[];
  readonly errors: readonly ErrorInfo[];
};

/**
 * What a step was: `error` when it has errors, else `tool-execution` when tools were requested, else
 * `final-response`.
 */
export type AgentStepType = 'error' | 'tool-execution' | 'final-response';

/** A finished step with its times and what the check after it found. */
export type StepExecution = {
  readonly id: StepId;
  readonly step: AgentStep;
  readonly continuation: ExecutionContinuation;
  readonly startedAt: Timestamp;
  readonly completedAt: Timestamp;
  /** Measured with the monotonic clock. */
  readonly durationMs: number;
};

/** Whether the model may, must not or has to call a tool, or which one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly toolName: string };

/** A call of a tool as the model made it. */
export type ToolCall = {
  /** Ours, unique in the session. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  readonly providerCallId: string | null;
};

/** Where a call stands: four ways to be open, and the outcomes it may end with. */
export type ToolExecutionStatus =
  'requested' | 'awaiting-approval' | 'awaiting-output' | 'running' | ToolOutcome;

/** A question to the user about a call, and the answer. */
export type ToolApproval = {
  readonly reason: string | null;
  /** Why it is asked when the tool did not ask: that it starts could not be stored. */
  readonly cause: 'not-stored' | null;
  readonly decision: 'approved' | 'rejected' | null;
  /** Why it was rejected, in the user's words. */
  readonly comment: string | null;
  /** The arguments were edited before it was approved, so that the rules are asked again. */
  readonly isEdited: boolean;
};

/** A change of plugin state that a call made when it succeeded. */
export type PluginWrite = {
  readonly pluginId: string;
  readonly fromRevision: number;
  readonly toRevision: number;
};

/**
 * A call of a tool with what came of it. Times are Unix epoch milliseconds, `durationMs` is measured with the
 * monotonic clock.
 */
export type ToolExecution = {
  readonly id: ToolExecutionId;
  readonly toolCall: ToolCall;
  readonly status: ToolExecutionStatus;
  /** Absent until completed. */
  readonly result?: JsonValue;
  readonly error: ErrorInfo | null;
  readonly startedAt: Timestamp | null;
  readonly completedAt: Timestamp | null;
  readonly durationMs: number | null;
  /** The state of the subagent that did the work. */
  readonly childState: AgentState | null;
  readonly pluginWrites: readonly PluginWrite[];
  /** What the tool reported last; null when it has reported nothing. */
  readonly progress: JsonValue | null;
  /** When its after-tool-use hooks were done; null before. */
  readonly settledAt: Timestamp | null;
  readonly approval: ToolApproval | null;
};
