import type { ExecutionBudget as ExecutionBudgetType } from './budget/execution-budget.ts';
import type { Usage as UsageType } from './budget/usage.ts';
import type { ExecutionContinuation as ExecutionContinuationType } from './continuation/execution-continuation.ts';
import type { StopReason as StopReasonType } from './continuation/stop-reason.ts';
import type {
  AgentState as AgentStateType,
  AgentStep as AgentStepType,
  ExecutionState as ExecutionStateType,
  StepExecution as StepExecutionType,
  ToolExecution as ToolExecutionType,
} from './state/types.ts';
import type { StopSignal as StopSignalType } from './continuation/stop-signal.ts';
import type { Message as MessageType } from './messages/message.ts';
import type { MessageStore as MessageStoreType } from './messages/message-store.ts';

// A type and the functions over it share one name.
export type AgentState = AgentStateType;
export * as AgentState from './namespaces/agent-state.ts';
export type ExecutionState = ExecutionStateType;
export * as ExecutionState from './namespaces/execution-state.ts';
export type StepExecution = StepExecutionType;
export * as StepExecution from './namespaces/step-execution.ts';
export type AgentStep = AgentStepType;
export * as AgentStep from './namespaces/agent-step.ts';
export type ToolExecution = ToolExecutionType;
export * as ToolExecution from './namespaces/tool-execution.ts';
export type ExecutionBudget = ExecutionBudgetType;
export * as ExecutionBudget from './namespaces/execution-budget.ts';
export type Usage = UsageType;
export * as Usage from './budget/usage.ts';
export type ExecutionContinuation = ExecutionContinuationType;
export * as ExecutionContinuation from './namespaces/execution-continuation.ts';
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
export type {
  AgentContext,
  AgentStepType,
  ExecutionStatus,
  PluginStateEntry,
  PluginStates,
  PluginWrite,
  ToolApproval,
  ToolCall,
  ToolExecutionStatus,
} from './state/types.ts';
export type { StateDocument } from './codec/document.ts';
export type { AgentStateInit } from './state/create.ts';
export type { AgentStateSummary } from './state/debug.ts';
export type { ToolTrace } from './state/step-transitions.ts';
export { type AgentInit, defaultMaxSteps, defineAgent } from './agent/define-agent.ts';
export { allSections, conversationWithCurrentToolTrace, selectedSections } from './agent/compilers.ts';
export {
  type AgentLoop,
  type AgentLoopOptions,
  createAgentLoop,
  type RunOptions,
} from './loop/create-agent-loop.ts';
export type { HookContract } from './loop/run.ts';
export { finalOutput } from './loop/structured-output.ts';
export { toolErrorPrefix, toolResultText } from './messages/tool-result-text.ts';
export { pairToolCalls } from './messages/pair-tool-calls.ts';
export { AgentStopError, isAgentStopError } from './continuation/agent-stop-error.ts';
export type {
  AgentDefinition,
  MessageCompiler,
  RetryPolicy,
  Subagent,
  SubagentPolicy,
} from './agent/agent-definition.ts';
export {
  defineTool,
  type ApprovalDecision,
  type Tool,
  type ToolContext,
  type ToolInit,
} from './tools/tool.ts';
export type { Schema, SchemaIssue } from './tools/schema.ts';
export * as Tools from './tools/tool-list.ts';
export {
  definePlugin,
  type ContextItem,
  type Plugin,
  type PluginInit,
  type Prepared,
  type PrepareContext,
} from './plugins/plugin.ts';
export type { PluginHandle, PluginReference } from './plugins/plugin-handle.ts';
export * as PluginState from './plugins/plugin-state.ts';
export {
  defineHook,
  type Hook,
  type HookContext,
  type HookInit,
  type HookPoint,
  hookPoints,
  mutableFields,
} from './hooks/hook.ts';
export * as HookStack from './hooks/hook-stack.ts';
export { guard } from './hooks/guard.ts';
export { summarizeHistory, type SummarizeHistoryOptions } from './hooks/summarize-history.ts';
export { fakeTool } from './tools/fake-tool.ts';
export { finishReasonGuard } from './hooks/finish-reason-guard.ts';
export type {
  AgentSession,
  AgentSessionOptions,
  AgentSessionSnapshot,
  ApproveOptions,
  BusyPolicy,
  FinishInfo,
  OutgoingMessage,
  PersistenceState,
  QueuedMessage,
  RejectOptions,
  SessionCallbacks,
  SessionStatus,
  TurnResult,
} from './session/agent-session.ts';
export { createAgentSession } from './session/create-agent-session.ts';
export { memorySessions } from './session/memory-sessions.ts';
export { localStorageSessions, type LocalStorageSessionsOptions } from './session/local-storage-sessions.ts';
export type { Durability, SessionRecord, SessionStore, SessionSummary } from './session/session-store.ts';
export { type SessionHub, sessionHub } from './session/session-hub.ts';
export * as sessionSelectors from './session/session-selectors.ts';
export type {
  AgentEvent,
  AgentEventAddress,
  AgentEventBody,
  AgentEventListener,
  AgentEventOf,
  AgentEventType,
} from './events/agent-event.ts';
export {
  scriptedInference,
  type ScriptedEntry,
  type ScriptedStep,
  type ScriptedToolCall,
} from './inference/scripted-inference.ts';
export { proxyInference, type ProxyInferenceOptions } from './inference/proxy-inference.ts';
export { fromLanguageModel } from './inference/from-language-model.ts';
export type { LanguageModel } from './inference/language-model.ts';
