// The public names, in five blocks. What else there is stands behind @vitrine/core/testing, /ai-sdk and /inspect.
import type { Tool as ToolType } from './agent/tool.ts';
import type { ErrorInfo as ErrorInfoType } from './graph/error-info.ts';
import type { ExecutionContinuation as ExecutionContinuationType } from './graph/execution-continuation.ts';
import type { ExecutionBudget as ExecutionBudgetType } from './graph/limits/execution-budget.ts';
import type { MessageStore as MessageStoreType } from './graph/message-store.ts';
import type { Message as MessageType } from './graph/message.ts';
import type { StopReason as StopReasonType } from './graph/stop-reason.ts';
import type { StopSignal as StopSignalType } from './graph/stop-signal.ts';
import type {
  AgentState as AgentStateType,
  AgentStep as AgentStepShape,
  ExecutionState as ExecutionStateType,
  StepExecution as StepExecutionType,
  ToolExecution as ToolExecutionType,
} from './graph/types.ts';
import type { Usage as UsageType } from './graph/usage.ts';

// 1. The graph: a type and the functions over it share one name.
export type AgentState = AgentStateType;
export * as AgentState from './faces/agent-state.ts';
export type ExecutionState = ExecutionStateType;
export * as ExecutionState from './faces/execution-state.ts';
export type StepExecution = StepExecutionType;
export * as StepExecution from './faces/step-execution.ts';
export type AgentStep = AgentStepShape;
export * as AgentStep from './faces/agent-step.ts';
export type ToolExecution = ToolExecutionType;
export * as ToolExecution from './faces/tool-execution.ts';
export type ExecutionContinuation = ExecutionContinuationType;
export * as ExecutionContinuation from './faces/execution-continuation.ts';
export type StopSignal = StopSignalType;
export * as StopSignal from './faces/stop-signal.ts';
export type StopReason = StopReasonType;
export * as StopReason from './faces/stop-reason.ts';
export type ExecutionBudget = ExecutionBudgetType;
export * as ExecutionBudget from './faces/execution-budget.ts';
export type Usage = UsageType;
export * as Usage from './faces/usage.ts';
export type Message = MessageType;
export * as Message from './faces/message.ts';
export type MessageStore = MessageStoreType;
export * as MessageStore from './faces/message-store.ts';
export type ErrorInfo = ErrorInfoType;
export * as ErrorInfo from './faces/error-info.ts';
/** Ids of agents, executions, steps and messages: UUIDs as texts. */
export * as Id from './faces/id.ts';
export type {
  AgentStepType,
  ExecutionStatus,
  SentRequest,
  ToolApproval,
  ToolCall,
  ToolChoice,
  ToolExecutionStatus,
} from './graph/types.ts';
export type { BudgetLine, BudgetView } from './graph/limits/budget-view.ts';
export type { ContinuationBranch, ContinuationEvaluation } from './graph/continuation-evaluation.ts';
export type { BlobReference, FilePart, MessagePart } from './graph/message-part.ts';
export type { MessageRole } from './graph/message.ts';
export type { LlmConfig, ModelPrice } from './graph/llm-config.ts';
export type { FinishReason, InferenceResponse } from './graph/inference-response.ts';
export type { ResponseFormat } from './graph/response-format.ts';
export { type Env, systemEnv, type Timestamp } from './graph/env.ts';
export type { JsonObject, JsonValue } from './kit/json.ts';
export { AgentError, type AgentErrorCode, type AgentErrorCodes, isAgentError } from './kit/agent-error.ts';
export { AgentStopError } from './faces/agent-stop-error.ts';
export { explainError } from './kit/explain-error.ts';
export type { ErrorFaces } from './kit/errors/error-faces.ts';

// 2. What a person defines.
export { defineAgent } from './agent/define-agent.ts';
export type { AgentInit } from './agent/agent-init.ts';
export type { AgentDefinition, MessageCompiler, RetryPolicy } from './agent/agent-definition.ts';
export type { AgentOutput, ToolInput, ToolNames, ToolOutput } from './agent/types-of.ts';
export { defineTool, type ToolContext, type ToolInit } from './agent/tool.ts';
/** A tool; its type knows what the model sends and what the call answers. */
// oxlint-disable-next-line typescript/no-explicit-any -- a list of tools mixes input and output types
export type Tool<Input = any, Output = any, Name extends string = string> = ToolType<Input, Output, Name>;
/** Lists of tools: add, replace, filter. */
export * as Tool from './faces/tool.ts';
export type { ApprovalDecision } from './agent/approval-decision.ts';
export type { RememberedDecision } from './graph/agent-state/remembered-decisions.ts';
export type { Schema } from './agent/schema.ts';
export {
  definePlugin,
  type Plugin,
  type PluginInit,
  type PrepareContext,
  type Prepared,
} from './agent/plugin/plugin.ts';
export type { PluginHandle, PluginReference } from './agent/plugin-handle.ts';
/** What plugins keep in a state: read, write, forget. */
export * as PluginState from './faces/plugin-state.ts';
export { defineHook } from './faces/define-hook.ts';
export type { Hook, HookContext, HookInit, HookPoint } from './agent/hook.ts';
export { guard } from './agent/guards/guard.ts';
export { finishReasonGuard } from './agent/guards/finish-reason-guard.ts';
export { repeatedCallGuard } from './agent/guards/repeated-call-guard.ts';
export { summarizeHistory } from './agent/guards/summarize-history.ts';
export { allSections, conversationWithCurrentToolTrace, selectedSections } from './faces/compilers.ts';

// 3. Models.
export { proxyInference } from './model/proxy-inference.ts';
export type { ProxyInferenceOptions } from './model/proxy-inference-options.ts';
export type {
  InferenceCall,
  InferenceClient,
  InferenceEvent,
  InferenceRequest,
} from './model/inference-client.ts';

// 4. Runs, and the journal that they write.
export { type AgentLoop, type AgentLoopOptions, createAgentLoop } from './run/create-agent-loop.ts';
export { finalOutput } from './faces/runs.ts';
export type { AgentEvent, AgentEventListener, AgentEventOf, AgentEventType } from './run/events.ts';
export { type EventAddress, eventAddress } from './run/event-address.ts';
export { apply, createJournal, fold, type Journal, runAgent } from './faces/runs.ts';

// 5. Sessions: one conversation with all that may be asked of it, and where it is kept.
export { createAgentSession } from './session/create-agent-session.ts';
export type {
  AgentSession,
  AgentSessionOptions,
  BusyPolicy,
  ConflictPolicy,
  Decision,
  FinishInfo,
  ForkPoint,
  OutgoingMessage,
  PersistenceState,
  QueuedMessage,
  SendOptions,
  SessionActivity,
  SessionCommands,
  SessionSettings,
  SessionSnapshot,
  SessionStatus,
  SnapshotStore,
  Turn,
  WritableSnapshotStore,
} from './session/agent-session.ts';
export type { MessageBranches } from './session/branches/message-branches.ts';
export type { SessionTree } from './session/branches/session-tree.ts';
/** What a chat shows of a state: its messages with the outcome of every call, and what a view selects by. */
export * as Conversation from './faces/conversation.ts';
export { sessionViews } from './session/conversation/session-views.ts';
export type { SessionViews } from './session/conversation/later-views.ts';
export type { ChatMessage, ChatPart, ChatToolCall } from './agent/chat-message.ts';
export { clearSessions } from './session/managing/clear-sessions.ts';
export { deleteSession } from './session/managing/delete-session.ts';
export { eraseDeletedSessions } from './session/managing/erase-deleted-sessions.ts';
export { exportSession, type RawSessionDocument } from './session/managing/export-session.ts';
export { type ImportOptions, importSession } from './session/managing/import-session.ts';
// Not beside what the engine needs: one bundler would put that into the first chunk.
export { liveSession } from './session/managing/live-session.ts';
export { renameSession } from './session/managing/rename-session.ts';
export { restoreSession } from './session/managing/restore-session.ts';
export type { SessionDocument } from './session/managing/session-document-schema.ts';
export { memorySessions } from './session/stores/memory/memory-sessions.ts';
export { localStorageSessions } from './session/stores/local-storage/local-storage-sessions.ts';
export { indexedDBSessions } from './session/stores/indexed-db/indexed-db-sessions.ts';
export { browserSessions } from './session/stores/browser-sessions.ts';
export { httpSessions } from './session/stores/http/http-sessions.ts';
export type { HttpSessionsOptions } from './session/stores/http/http-sessions-options.ts';
export { readAttachment } from './session/read-attachment.ts';
export type {
  Durability,
  SessionList,
  SessionQuery,
  SessionRecord,
  SessionStore,
  SessionSummary,
} from './session/stores/session-store.ts';
