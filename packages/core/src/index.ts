import type { ExecutionBudget as ExecutionBudgetType } from './budget/execution-budget.ts';
import type { Usage as UsageType } from './budget/usage.ts';
import type { ExecutionContinuation as ExecutionContinuationType } from './continuation/execution-continuation.ts';
import type { StopReason as StopReasonType } from './continuation/stop-reason.ts';
import type { StopSignal as StopSignalType } from './continuation/stop-signal.ts';
import type { Message as MessageType } from './messages/message.ts';
import type { MessageStore as MessageStoreType } from './messages/message-store.ts';

// A type and the functions over it share one name.
export type ExecutionBudget = ExecutionBudgetType;
export * as ExecutionBudget from './budget/execution-budget.ts';
export type Usage = UsageType;
export * as Usage from './budget/usage.ts';
export type ExecutionContinuation = ExecutionContinuationType;
export * as ExecutionContinuation from './continuation/execution-continuation.ts';
export type StopReason = StopReasonType;
export * as StopReason from './continuation/stop-reason.ts';
export type StopSignal = StopSignalType;
export * as StopSignal from './continuation/stop-signal.ts';
export type Message = MessageType;
export * as Message from './messages/message.ts';
export type MessageStore = MessageStoreType;
export * as MessageStore from './messages/message-store.ts';

export { type Env, systemEnv, type Timestamp } from './env/env.ts';
export { AgentId, ExecutionId, StepId, ToolExecutionId } from './env/ids.ts';
export type { JsonObject, JsonValue } from './env/json.ts';
export { AgentError, type AgentErrorCode, isAgentError } from './errors/agent-error.ts';
export { type ErrorInfo, errorInfo } from './errors/error-info.ts';
export type { LlmConfig, ModelPrice } from './budget/llm-config.ts';
export { type BudgetLine, type BudgetView, budgetView } from './budget/budget-view.ts';
export type { Spent } from './budget/execution-budget.ts';
export type { ContinuationBranch, ContinuationEvaluation } from './continuation/continuation-evaluation.ts';
export type { StopSignalInit } from './continuation/stop-signal.ts';
export type {
  FilePart,
  MessagePart,
  ReasoningPart,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './messages/message-part.ts';
export type { MessageInit, MessageRole } from './messages/message.ts';
export type { MessageSection, SectionName } from './messages/message-store.ts';
export type {
  FinishReason,
  InferenceClient,
  InferenceEvent,
  InferenceRequest,
  ResponseFormat,
  ToolChoice,
  ToolDescription,
} from './inference/inference-client.ts';
export type { InferenceResponse } from './inference/inference-response.ts';
export type * from './state/types.ts';
export type {
  AgentEvent,
  AgentEventAddress,
  AgentEventBody,
  AgentEventListener,
  AgentEventOf,
  AgentEventType,
} from './events/agent-event.ts';
