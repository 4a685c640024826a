// The public names, in five blocks. The manifest lists the other entries.
import type {
  AgentState as AgentStateType,
  AgentStep as AgentStepShape,
  ErrorInfo as ErrorInfoType,
  ExecutionBudget as ExecutionBudgetType,
  ExecutionContinuation as ExecutionContinuationType,
  ExecutionState as ExecutionStateType,
  Message as MessageType,
  MessageStore as MessageStoreType,
  StepExecution as StepExecutionType,
  StopReason as StopReasonType,
  StopSignal as StopSignalType,
  Tool as ToolType,
  ToolExecution as ToolExecutionType,
  Usage as UsageType,
} from './types.ts';

// 1. The graph: a type and the functions over it share one name.
export type AgentState = AgentStateType;
export * as AgentState from './run/agent-state.ts';
export type ExecutionState = ExecutionStateType;
export * as ExecutionState from './graph/document/execution-state.ts';
export type StepExecution = StepExecutionType;
export * as StepExecution from './graph/document/step-execution.ts';
export type AgentStep = AgentStepShape;
export * as AgentStep from './graph/document/agent-step.ts';
export type ToolExecution = ToolExecutionType;
export * as ToolExecution from './graph/document/tool-execution.ts';
export type ExecutionContinuation = ExecutionContinuationType;
export * as ExecutionContinuation from './graph/document/execution-continuation.ts';
export type StopSignal = StopSignalType;
export * as StopSignal from './graph/stop-signal.ts';
export type StopReason = StopReasonType;
export * as StopReason from './graph/stop-reason.ts';
export type ExecutionBudget = ExecutionBudgetType;
export * as ExecutionBudget from './graph/document/execution-budget.ts';
export type Usage = UsageType;
export * as Usage from './graph/usage.ts';
export type Message = MessageType;
export * as Message from './graph/message.ts';
export type MessageStore = MessageStoreType;
export * as MessageStore from './graph/message-store.ts';
export type ErrorInfo = ErrorInfoType;
export * as ErrorInfo from './graph/error-info.ts';
/** Ids of agents, executions, steps and messages: UUIDs as texts. */
export * as Id from './graph/id.ts';
export type { ToolCall } from './graph/types.ts';
export type { FilePart, MessagePart } from './graph/message.ts';
export type { ModelPrice } from './graph/llm-config.ts';
export { type Env, systemEnv } from './graph/env.ts';
export type { JsonObject, JsonValue } from './kit/json.ts';
export { AgentError, type AgentErrorCode, type AgentErrorCodes, isAgentError } from './kit/agent-error.ts';
export { AgentStopError } from './graph/agent-stop-error.ts';
export { explainError } from './kit/explain-error.ts';

// 2. Definitions.
export { defineAgent } from './agent/define-agent.ts';
export type { AgentDefinition, AgentInit, MessageCompiler } from './agent/agent-definition.ts';
export type { AgentOutput, ToolInput, ToolOutput } from './agent/types-of.ts';
export { defineTool, type ToolContext } from './agent/tool.ts';
/** A tool; its type carries the input that the model sends and the output of the call. */
// oxlint-disable-next-line typescript/no-explicit-any -- a list of tools mixes input and output types
export type Tool<Input = any, Output = any, Name extends string = string> = ToolType<Input, Output, Name>;
/** Lists of tools: add, replace, filter. */
export * as Tool from './agent/tools.ts';
export type { Schema } from './agent/schema.ts';
export type { Plugin, PrepareContext } from './agent/plugin/plugin.ts';
export { definePlugin } from './features/define-plugin.ts';
/** The state of plugins: read, write, reset. */
export * as PluginState from './agent/plugin/plugin-state.ts';
export { defineHook, type Hook, type HookContext } from './agent/hook.ts';
export { finishReasonGuard, guard, repeatedCallGuard } from './agent/guards/guard.ts';
export { summarizeHistory } from './agent/guards/summarize-history.ts';
export { allSections, conversationWithCurrentToolTrace, selectedSections } from './agent/compilers.ts';

// 3. Models.
export { proxyInference } from './model/proxy-inference.ts';
export type { InferenceClient, InferenceEvent, InferenceRequest } from './model/inference-client.ts';

// 4. Runs and their journal.
export { type AgentLoop, createAgentLoop } from './agent-loop/create-agent-loop.ts';
export { finalOutput } from './agent/final-output.ts';
export type { AgentEvent } from './run/events.ts';
export { eventAddress } from './run/events.ts';
export { apply, fold } from './run/apply.ts';
export { createJournal } from './run/journal.ts';
export { runAgent } from './agent-loop/run-agent.ts';
export { type EffectLog, effectLog, type EffectRecords } from './run/effect-log.ts';

// 5. Sessions.
export { createAgentSession } from './session/create-agent-session.ts';
export type {
  AgentSession,
  AgentSessionOptions,
  Decision,
  FinishInfo,
  OutgoingMessage,
  SessionSnapshot,
  SessionStatus,
  Turn,
} from './session/agent-session.ts';
/** The view of a state for a chat: messages with the result of every call, and selectors. */
export * as Conversation from './session/conversation/conversation.ts';
export { selectors } from './session/conversation/selectors.ts';
export type { ChatMessage, ChatPart, ChatToolCall } from './agent/chat-message.ts';
export { resolveRecord } from './session/store/live-record.ts';
export { loadedSession } from './session/store/loaded-session.ts';
export { readAttachment } from './session/read-attachment.ts';
export type {
  SessionList,
  SessionRecord,
  SessionStore,
  SessionSummary,
} from './session/store/session-store.ts';
