import type { ExecutionBudget as ExecutionBudgetType } from './graph/limits/execution-budget.ts';
import type { Usage as UsageType } from './graph/usage.ts';
import type { ExecutionContinuation as ExecutionContinuationType } from './graph/execution-continuation.ts';
import type { StopReason as StopReasonType } from './graph/stop-reason.ts';
import type {
  AgentState as AgentStateType,
  AgentStep as AgentStepType,
  ExecutionState as ExecutionStateType,
  StepExecution as StepExecutionType,
  ToolExecution as ToolExecutionType,
} from './graph/types.ts';
import type { StopSignal as StopSignalType } from './graph/stop-signal.ts';
import type { Message as MessageType } from './graph/message.ts';
import type { MessageStore as MessageStoreType } from './graph/message-store.ts';

// A type and the functions over it share one name.
export type AgentState = AgentStateType;
export * as AgentState from './faces/agent-state.ts';
export type ExecutionState = ExecutionStateType;
export * as ExecutionState from './faces/execution-state.ts';
export type StepExecution = StepExecutionType;
export * as StepExecution from './faces/step-execution.ts';
export type AgentStep = AgentStepType;
export * as AgentStep from './faces/agent-step.ts';
export type ToolExecution = ToolExecutionType;
export * as ToolExecution from './faces/tool-execution.ts';
export type ExecutionBudget = ExecutionBudgetType;
export * as ExecutionBudget from './faces/execution-budget.ts';
export type Usage = UsageType;
export * as Usage from './graph/usage.ts';
export type ExecutionContinuation = ExecutionContinuationType;
export * as ExecutionContinuation from './faces/execution-continuation.ts';
export type StopReason = StopReasonType;
export * as StopReason from './graph/stop-reason.ts';
export type StopSignal = StopSignalType;
export * as StopSignal from './graph/stop-signal.ts';
export type Message = MessageType;
export * as Message from './graph/message.ts';
export type MessageStore = MessageStoreType;
export * as MessageStore from './graph/message-store.ts';

export { type Env, systemEnv, type Timestamp } from './graph/env.ts';
export * as Id from './graph/id.ts';
export type { AgentId, ExecutionId, StepId, ToolExecutionId } from './graph/id.ts';
export type { JsonObject, JsonValue } from './kit/json.ts';
export { AgentError, type AgentErrorCode, isAgentError } from './kit/agent-error.ts';
export { type ErrorInfo, errorInfo } from './graph/error-info.ts';
export type { LlmConfig, ModelPrice } from './graph/llm-config.ts';
export { type BudgetLine, type BudgetView, budgetView } from './graph/limits/budget-view.ts';
export type { Spent } from './graph/limits/execution-budget.ts';
export type { ContinuationBranch, ContinuationEvaluation } from './graph/continuation-evaluation.ts';
export type { StopSignalInit } from './graph/stop-signal.ts';
export type {
  FilePart,
  MessagePart,
  ReasoningPart,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './graph/message-part.ts';
export type { MessageInit, MessageRole } from './graph/message.ts';
export type { MessageSection, SectionName } from './graph/message-store.ts';
export type {
  InferenceClient,
  InferenceEvent,
  InferenceRequest,
  ToolDescription,
} from './model/inference-client.ts';
export type { FinishReason, InferenceResponse } from './graph/inference-response.ts';
export type { ResponseFormat } from './graph/response-format.ts';
export type {
  AgentContext,
  AgentStepType,
  ExecutionStatus,
  PluginStateEntry,
  PluginStates,
  PluginWrite,
  ToolApproval,
  SentRange,
  SentRequest,
  ToolCall,
  ToolChoice,
  ToolExecutionStatus,
} from './graph/types.ts';
export type { StateDocument } from './graph/document/document.ts';
export type { AgentStateInit } from './graph/agent-state/create.ts';
export type { AgentStateSummary } from './graph/agent-state/debug.ts';
export type { ToolTrace } from './graph/agent-state/step-transitions.ts';
export type { AgentInit, SubagentInit } from './agent/agent-init.ts';
export { defaultMaxSteps } from './agent/check-init.ts';
export type { LlmConfigInit } from './agent/check-llm-config.ts';
export { defineAgent } from './agent/define-agent.ts';
export type { AgentTypes, DataSchemas, PluginStateOf } from './agent/agent-types.ts';
export type { AgentOutput, DataNames, DataOf, ToolInput, ToolNames, ToolOutput } from './agent/types-of.ts';
export type { ChatDataPart, ChatMessage, ChatPart, ChatToolCall } from './agent/chat-message.ts';
export { allSections, conversationWithCurrentToolTrace, selectedSections } from './agent/compilers.ts';
export {
  type AgentLoop,
  type AgentLoopOptions,
  createAgentLoop,
  type RunOptions,
} from './run/create-agent-loop.ts';
export type { HookContract, Perform } from './run/run.ts';
export { runAgent, type RunAgentOptions, type RunAgentResult } from './run/run-agent.ts';
export { finalOutput } from './run/step/structured-output.ts';
export { toolErrorPrefix, toolResultText } from './graph/tool-result-text.ts';
export { pairToolCalls } from './agent/pair-tool-calls.ts';
export { AgentStopError, isAgentStopError } from './graph/agent-stop-error.ts';
export type {
  AgentDefinition,
  MessageCompiler,
  RetryPolicy,
  Subagent,
  SubagentPolicy,
} from './agent/agent-definition.ts';
export type { ApprovalDecision } from './agent/approval-decision.ts';
export { defineTool, type Tool, type ToolContext, type ToolInit, type ToolTypes } from './agent/tool.ts';
export type { Schema, SchemaIssue } from './agent/schema.ts';
/** Lists of tools: add, replace, filter. */
export * as Tools from './agent/tool-list.ts';
export {
  definePlugin,
  type ContextItem,
  type Plugin,
  type PluginInit,
  type Prepared,
  type PrepareContext,
} from './agent/plugin/plugin.ts';
export type { PluginHandle, PluginReference } from './agent/plugin-handle.ts';
/** What plugins keep in a state: read, write, forget. */
export * as PluginState from './faces/plugin-state.ts';
export {
  defineHook,
  type Hook,
  type HookContext,
  type HookInit,
  type HookPoint,
  hookPoints,
  mutableFields,
} from './agent/hook.ts';
/** Hooks in the order in which they run. */
export * as HookStack from './agent/hook-stack.ts';
export { guard } from './agent/guards/guard.ts';
export { summarizeHistory, type SummarizeHistoryOptions } from './agent/guards/summarize-history.ts';
export { fakeTool } from './testing/fake-tool.ts';
export { finishReasonGuard } from './agent/guards/finish-reason-guard.ts';
export { repeatedCallGuard } from './agent/guards/repeated-call-guard.ts';
export type {
  AgentSession,
  AgentSessionOptions,
  ApproveOptions,
  BusyPolicy,
  Decision,
  FinishInfo,
  OutgoingMessage,
  PersistenceState,
  QueuedMessage,
  RejectOptions,
  SendOptions,
  SessionActivity,
  SessionCallbacks,
  SessionCommands,
  SessionSettings,
  SessionSnapshot,
  SessionStatus,
  SnapshotStore,
  Turn,
  WritableSnapshotStore,
} from './session/agent-session.ts';
export { createAgentSession } from './session/create-agent-session.ts';
export { memorySessions } from './session/stores/memory-sessions.ts';
export {
  localStorageSessions,
  type LocalStorageSessionsOptions,
} from './session/stores/local-storage-sessions.ts';
export type {
  Durability,
  SessionRecord,
  SessionStore,
  SessionSummary,
} from './session/stores/session-store.ts';
export { type HubSource, type SessionHub, sessionHub } from './session/hub.ts';
export * as Conversation from './session/conversation.ts';
export type {
  AgentChange,
  AgentEvent,
  AgentEventBody,
  AgentEventListener,
  AgentEventOf,
  AgentEventType,
  AgentSignal,
} from './run/events.ts';
export { type EventAddress, eventAddress } from './run/event-address.ts';
export { apply, fold } from './run/apply.ts';
export { createJournal, type Journal, type JournalLease } from './run/journal.ts';

export {
  scriptedInference,
  type ScriptedEntry,
  type ScriptedStep,
  type ScriptedToolCall,
} from './testing/scripted-inference.ts';
export { proxyInference, type ProxyInferenceOptions } from './model/proxy-inference.ts';
export { fromLanguageModel } from './model/ai-sdk/from-language-model.ts';
export type { LanguageModel } from './model/ai-sdk/language-model.ts';
export type { AgentErrorCodes, WireErrorCode } from './kit/agent-error.ts';
export type { ErrorFaces } from './kit/errors/error-faces.ts';
export { explainError } from './kit/explain-error.ts';
