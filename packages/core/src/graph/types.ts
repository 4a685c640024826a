import type { LlmConfig, ResponseFormat } from './llm-config.ts';
import type { ExecutionContinuation } from './execution-continuation.ts';
import type { Timestamp } from './env.ts';
import type { AgentId, ExecutionId, StepId, ToolExecutionId } from './id.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { ErrorInfo } from './error-info.ts';
import type { InferenceResponse } from './inference-response.ts';
import type { ToolOutcome, Message } from './message.ts';
import type { MessageStore } from './message-store.ts';
import type { Usage } from './usage.ts';

/** The root of the graph: the agent, its messages, and the current run. */
export type AgentState = {
  readonly agentId: AgentId;
  readonly parentAgentId: AgentId | null;
  readonly createdAt: Timestamp;
  /** Raised by every real change. */
  readonly updatedAt: Timestamp;
  /** Number of events applied, counted from 1 per agent; see `run/events`. */
  readonly seq: number;
  /** Number of executions of this state, the current one included. */
  readonly executionCount: number;
  readonly llmConfig: LlmConfig | null;
  readonly context: AgentContext;
  readonly plugins: PluginStates;
  /** Prompts, tool lists and formats that a stored step was sent, once each, by hash. */
  readonly texts: { readonly [hash: string]: JsonValue };
  /** Messages that a stored step was sent and that left their section since, by the key that the step names. */
  readonly retained: { readonly [key: string]: Message };
  /** Spending of executions that the state no longer holds; null for none. */
  readonly spentBefore: SpentBefore | null;
  /** Places at which a run waits for a person who debugs it. Those of the root hold for its subagents too. */
  readonly breakpoints: readonly Breakpoint[];
  /** Null until the first run and after `forNextExecution`. */
  readonly execution: ExecutionState | null;
};

/** Spending of earlier runs of a session: tokens, and money in the currency of the prices. */
export type SpentBefore = {
  readonly tokens: number;
  readonly cost: number;
  /** True when a call of unknown price was made. */
  readonly hasUnknownCost: boolean;
};

/** A rule by which a run stops and waits for a person who debugs it. */
export type Breakpoint = {
  readonly id: string;
  readonly on: BreakCondition;
  /** True for one that is taken away with its hit and with the end of the run, as `pause` sets it. */
  readonly isOnce: boolean;
};

/** The condition of a breakpoint. With `agent` it holds only an agent of this name, such as a subagent. */
export type BreakCondition =
  /** Before the next call of a model or a tool. */
  | { readonly type: 'next' }
  /** Before every model call. */
  | { readonly type: 'model'; readonly agent?: string | undefined }
  /**
   * Before each call of a tool; with `isAfter` at the end of a step that called it, when its result can be edited. With
   * `input` only calls whose arguments have these fields, at any depth.
   */
  | {
      readonly type: 'tool';
      readonly toolName: string;
      readonly isAfter?: boolean | undefined;
      readonly input?: JsonObject | undefined;
      readonly agent?: string | undefined;
    }
  /** After an answer that is final or asks for tools, or at the end of a step with errors. */
  | { readonly type: 'step'; readonly stepType: AgentStepType }
  /** Before a model call with no more than this left of a limit of the run. */
  | {
      readonly type: 'budget';
      readonly limit: 'steps' | 'tokens' | 'seconds' | 'cost';
      readonly left: number;
    }
  /** Before a model call of a run that has cost more than this, its subagents included. */
  | { readonly type: 'cost'; readonly over: number }
  /** Before the next call after a finding of this code, or of any code; see `watchFindings` of the inspect entry. */
  | { readonly type: 'finding'; readonly code: string | null };

/** A place in a run at which it can wait. */
export type BreakAddress = {
  /** Before a model call, before a tool call, after an answer, or before the end of a step. */
  readonly point: 'model' | 'tool' | 'answer' | 'end';
  /** The number of the step, counted from 1. */
  readonly step: number;
  /** The call of the point `tool`; null elsewhere. */
  readonly toolCallId: string | null;
};

/** A breakpoint that was hit, and the place. */
export type BreakHit = { readonly breakpointId: string; readonly at: BreakAddress };

/** A change by a person who releases a run that waits at a breakpoint. */
export type BreakEdit = {
  /** Other arguments for the call that waits. They pass its schema, the hooks and its approval rule. */
  readonly input?: JsonValue;
  /** A result in place of that of the tool, which does not run; at the end of a step it replaces a result. */
  readonly result?: JsonValue;
  /** The call of `input` and `result`, where the breakpoint is at no call. */
  readonly toolCallId?: string;
  /** Another text for a message of the agent. */
  readonly message?: { readonly id: string; readonly text: string };
  /** Another system prompt, for this and later model calls. */
  readonly systemPrompt?: string;
};

/** The states of plugins, by plugin id. */
export type PluginStates = { readonly [pluginId: string]: PluginStateEntry };

/** The state of one plugin, as it is stored. */
export type PluginStateEntry = {
  /** The schema version of the plugin that wrote it. */
  readonly version: number;
  /** Raised by every real change of `data`. */
  readonly revision: number;
  readonly data: JsonValue;
};

/** The context of a run besides its own steps: messages, metadata, system prompt and response format. */
export type AgentContext = {
  readonly store: MessageStore;
  readonly metadata: JsonObject;
  readonly systemPrompt: string;
  readonly responseFormat: ResponseFormat | null;
};

/** The status of a run: created, running or waiting, or ended in one of three ways. */
export type ExecutionStatus = 'pending' | 'in-progress' | 'completed' | 'stopped' | 'failed';

/** Amounts beyond the limits of a run. */
export type Grant = {
  readonly steps?: number;
  /** Input and output tokens, subagents included. */
  readonly tokens?: number;
  /** Seconds of work. */
  readonly seconds?: number;
  /** Money in the currency of the prices. */
  readonly cost?: number;
  /** A later moment in the place of the deadline, in milliseconds since 1970. */
  readonly deadline?: Timestamp;
};

/**
 * The limits of a run without what was granted, by their name in a budget; `maxTotalSteps`, `sessionTokens` and
 * `sessionCost` are those of all agents and of the session. An absent one is unlimited.
 */
export type RunLimits = { readonly [limit: string]: number };

type ExecutionBase = {
  readonly executionId: ExecutionId;
  /** The turn of the session that began the execution, so that a resumed run is the same turn; absent without one. */
  readonly turnId?: string | undefined;
  /** The id of the principal for whom the execution works; absent in a session without principals. */
  readonly by?: string | undefined;
  /** The model that its turn alone asks, so that a resumed run asks it too; absent where the agent's own answers. */
  readonly turnModel?: string | undefined;
  readonly startedAt: Timestamp;
  readonly stepExecutions: readonly StepExecution[];
  readonly continuation: ExecutionContinuation;
  readonly currentStepStartedAt: Timestamp | null;
  readonly currentStep: AgentStep | null;
  /** Milliseconds of waiting for a person or being interrupted; they count against no limit. */
  readonly waitedMs: number;
  /** Start of the current wait for a person; null while the run does not wait. */
  readonly waitingSince: Timestamp | null;
  /** Errors outside any step. */
  readonly errors: readonly ErrorInfo[];
  /** Usage of model calls outside any kept step; null when there was none. */
  readonly extraUsage: Usage | null;
  /** The breakpoint at which the agent waits; null while it does not. */
  readonly breakHit: BreakHit | null;
  /** The place that a person has released last, so that it stops nothing a second time. */
  readonly breakPassed: BreakAddress | null;
  /** Amounts that a person has granted beyond the limits; absent for none. */
  readonly grants?: Grant | undefined;
  /** The limits of the run as its agent had them last; absent in a run of an earlier version. */
  readonly limits?: RunLimits | undefined;
};

/** An execution that has not ended. `startedAt` of a pending one is the time of its creation. */
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

/** The messages of a section from `first` to `last`; a null section means `AgentState.retained`. */
export type SentRange = {
  readonly section: string | null;
  readonly first: string;
  readonly last: string;
  readonly count: number;
};

/** The content of a model call by reference: hashes name `AgentState.texts`, ranges name messages. */
export type SentRequest = {
  /** Our id, the same for the call and its response. */
  readonly inferenceId: string;
  readonly model: string | null;
  readonly settings: JsonObject;
  readonly toolChoice: ToolChoice;
  readonly prompt: string;
  readonly tools: string;
  readonly responseFormat: string | null;
  readonly messages: readonly SentRange[];
  /** The execution whose tool traces are in the ranges, without those of others. Absent: all messages are. */
  readonly tracesOf?: string;
  /** Present when the call ended without an answer and its usage is counted. */
  readonly isCharged?: true;
  /** The number of the attempt. Absent: 1. */
  readonly attempt?: number;
  /** Messages of the request that are in no section, by the keys that ranges without a section name. */
  readonly extra: readonly Message[];
  /** Messages that the compiler left out, and the reason. */
  readonly omitted: readonly { readonly range: SentRange; readonly reason: string }[];
};

/** One model call and its result. */
export type AgentStep = {
  readonly id: StepId;
  /** Null until the model was called. */
  readonly sent: SentRequest | null;
  readonly outputMessages: readonly Message[];
  readonly inferenceResponse: InferenceResponse | null;
  readonly toolExecutions: readonly ToolExecution[];
  readonly errors: readonly ErrorInfo[];
  /** Usage of model calls besides the answer: failed or aborted attempts, and calls of hooks. Null: none. */
  readonly extraUsage: Usage | null;
};

/** The kind of a step: `error` when it has errors, else `tool-execution` when tools were requested. */
export type AgentStepType = 'error' | 'tool-execution' | 'final-response';

/** A finished step with its times and the result of the check after it. */
export type StepExecution = {
  readonly id: StepId;
  readonly step: AgentStep;
  readonly continuation: ExecutionContinuation;
  readonly startedAt: Timestamp;
  readonly completedAt: Timestamp;
  /** Duration in milliseconds by the monotonic clock. */
  readonly durationMs: number;
};

/** The model's freedom to call tools: it may, must not or has to call one, or a named one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly toolName: string };

/** A tool call as the model made it. */
export type ToolCall = {
  /** Our id, unique in the session. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  readonly providerCallId: string | null;
};

/** The status of a call: four open ones, and the outcomes. */
export type ToolExecutionStatus =
  'requested' | 'awaiting-approval' | 'awaiting-output' | 'running' | ToolOutcome;

/** A question to the user about a call, and the answer. */
export type ToolApproval = {
  readonly reason: string | null;
  /** The reason for a question that the tool did not ask: its start could not be stored, or it would act in a fork. */
  readonly cause: 'not-stored' | 'fork' | null;
  readonly decision: 'approved' | 'rejected' | null;
  /** The user's reason for a rejection. */
  readonly comment: string | null;
  /** True when the arguments were edited before the approval, so that the rules are asked again. */
  readonly isEdited: boolean;
  /** True for a call that starts only when all such calls of the step in flight are answered, at any depth. */
  readonly isJoint?: true | undefined;
  /** The id of the principal who answered; absent in a session without principals. */
  readonly by?: string | undefined;
  /** The JSON Schema of the answer that a running tool asks for; absent for the question whether it may run. */
  readonly form?: JsonObject | undefined;
  /** The person's answer to the form; absent before it, and without a form. */
  readonly answer?: JsonValue | undefined;
  /** The answered question of the tool, behind which came the question whether it may run unstored. */
  readonly answered?: { readonly form: JsonObject; readonly answer: JsonValue } | undefined;
  /** True when the person let the call run although its start could not be stored, also behind later questions. */
  readonly isInsisted?: true | undefined;
};

/** A change of plugin state that a call made when it succeeded. */
export type PluginWrite = {
  readonly pluginId: string;
  readonly fromRevision: number;
  readonly toRevision: number;
};

/** A tool call and its result. Times are Unix epoch milliseconds; `durationMs` is measured with the monotonic clock. */
export type ToolExecution = {
  readonly id: ToolExecutionId;
  readonly toolCall: ToolCall;
  readonly status: ToolExecutionStatus;
  /** The result; absent until the call is completed. */
  readonly result?: JsonValue;
  readonly error: ErrorInfo | null;
  readonly startedAt: Timestamp | null;
  readonly completedAt: Timestamp | null;
  readonly durationMs: number | null;
  /** The state of the subagent that did the work. */
  readonly childState: AgentState | null;
  readonly pluginWrites: readonly PluginWrite[];
  /** The last progress value of the tool; null when it has reported none. */
  readonly progress: JsonValue | null;
  /** The time at which its after-tool-use hooks were done; null before. */
  readonly settledAt: Timestamp | null;
  readonly approval: ToolApproval | null;
  /** Present for a call that ran outside this loop, such as in the backend that answers as the model. */
  readonly isElsewhere?: true | undefined;
};
