import type { LlmConfig } from './llm-config.ts';
import type { Usage } from './usage.ts';
import type { ExecutionContinuation } from './execution-continuation.ts';
import type { Timestamp } from './env.ts';
import type { AgentId, ExecutionId, StepId, ToolExecutionId } from './id.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { ErrorInfo } from './error-info.ts';
import type { ResponseFormat } from './response-format.ts';
import type { InferenceResponse } from './inference-response.ts';
import type { Message } from './message.ts';
import type { MessageStore } from './message-store.ts';

/** The root of the graph: who the agent is, what was said, and how far the current run has come. */
export type AgentState = {
  readonly agentId: AgentId;
  readonly parentAgentId: AgentId | null;
  readonly createdAt: Timestamp;
  /** Raised by every real change. */
  readonly updatedAt: Timestamp;
  /** How many executions this state has had, the current one included. */
  readonly executionCount: number;
  readonly llmConfig: LlmConfig | null;
  readonly context: AgentContext;
  readonly plugins: PluginStates;
  /** Null until the first run and after `forNextExecution`. */
  readonly execution: ExecutionState | null;
};

export type PluginStates = { readonly [pluginId: string]: PluginStateEntry };

export type PluginStateEntry = {
  /** Schema version of the plugin that wrote it. */
  readonly version: number;
  /** Raised by every real change of `data`. */
  readonly revision: number;
  readonly data: JsonValue;
};

export type AgentContext = {
  readonly store: MessageStore;
  readonly metadata: JsonObject;
  readonly systemPrompt: string;
  readonly responseFormat: ResponseFormat | null;
};

export type ExecutionStatus = 'pending' | 'in-progress' | 'completed' | 'stopped' | 'failed';

type ExecutionBase = {
  readonly executionId: ExecutionId;
  readonly startedAt: Timestamp;
  readonly stepExecutions: readonly StepExecution[];
  readonly continuation: ExecutionContinuation;
  readonly currentStepStartedAt: Timestamp | null;
  readonly currentStep: AgentStep | null;
  /** What subagents spent. */
  readonly childUsage: Usage;
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

/** One model call with what came of it. */
export type AgentStep = {
  readonly id: StepId;
  readonly inputMessages: readonly Message[];
  readonly outputMessages: readonly Message[];
  readonly inferenceResponse: InferenceResponse | null;
  readonly toolExecutions: readonly ToolExecution[];
  readonly errors: readonly ErrorInfo[];
};

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

export type ToolCall = { readonly id: string; readonly name: string; readonly input: JsonValue };

export type ToolExecutionStatus =
  | 'requested'
  | 'awaiting-approval'
  | 'running'
  | 'completed'
  | 'failed'
  | 'blocked'
  | 'rejected'
  | 'interrupted';

/** A question to the user about a call, and the answer. */
export type ToolApproval = {
  readonly reason: string | null;
  readonly decision: 'approved' | 'rejected' | null;
  /** Why it was rejected, in the user's words. */
  readonly comment: string | null;
};

export type PluginWrite = {
  readonly pluginId: string;
  readonly fromRevision: number;
  readonly toRevision: number;
};

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
  readonly approval: ToolApproval | null;
};
