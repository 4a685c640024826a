// Types that only compilers write. TypeScript names parameter and result types in the declarations of a library, and
// can only use names that some entry exports: the alias `AgentState` of the main entry is another one.
// `tests/public-api/stranger.test.ts` finds missing ones.

// Types of the graph. A type with the name of a namespace is in the main entry as well.
export type {
  AgentContext,
  AgentState,
  AgentStep,
  AgentStepType,
  BreakAddress,
  BreakCondition,
  BreakEdit,
  BreakHit,
  Breakpoint,
  ExecutionState,
  ExecutionStatus,
  Grant,
  PluginStateEntry,
  PluginStates,
  PluginWrite,
  RunLimits,
  SentRange,
  SentRequest,
  SpentBefore,
  StepExecution,
  ToolApproval,
  ToolChoice,
  ToolExecution,
  ToolExecutionStatus,
  UnfinishedExecution,
} from './graph/types.ts';
export type { AgentBreak } from './graph/agent-state/accessors.ts';
export type { AgentId, ExecutionId, StepId, ToolExecutionId } from './graph/id.ts';
export type { DecisionKind, RememberFor, RememberedDecision } from './graph/agent-state/remembered.ts';
export type { ToolTrace } from './graph/agent-state/transitions.ts';
export type {
  ContinuationBranch,
  ContinuationEvaluation,
  ExecutionContinuation,
} from './graph/execution-continuation.ts';
export type { StateDocument, WarnReading } from './graph/document/document.ts';
export type { Timestamp } from './graph/env.ts';
export type { ErrorInfo } from './graph/error-info.ts';
export type { FinishReason, InferenceResponse } from './graph/inference-response.ts';
export type { BudgetLine, BudgetView, ExecutionBudget } from './graph/execution-budget.ts';
export type { LimitKey, Spent, SessionBudget } from './graph/limits.ts';
export type { LlmConfig, ResponseFormat } from './graph/llm-config.ts';
export type { BlobReference, Message, MessageRole, SourcePart, ToolOutcome } from './graph/message.ts';
export type { MessageSection, MessageStore, SectionName } from './graph/message-store.ts';
export type { StopReason } from './graph/stop-reason.ts';
export type { StopSignal } from './graph/stop-signal.ts';
export type { Usage } from './graph/usage.ts';
export type { ErrorTableCode } from './kit/errors/error-table.ts';
export type { ErrorTexts } from './kit/errors/wire-errors.ts';
export type { PublishMode } from './kit/frame-gate.ts';

// Types of definitions.
export type { AgentTypes, DataSchemas } from './agent/agent-types.ts';
export type { RetryPolicy, Subagent, SubagentInit, SubagentPolicy } from './agent/agent-definition.ts';
export type { ApprovalDecision } from './agent/approval-decision.ts';
export type { CompletedToolCall, OpenToolCall, UncheckedToolCall } from './agent/chat-message.ts';
export type { LlmConfigInit } from './agent/check-init.ts';
export type { SummarizeHistoryOptions, Summary } from './agent/guards/summarize-history.ts';
export type { HookField, HookFields, HookInit, HookModelCall, HookPoint, HookStack } from './agent/hook.ts';
export type { PluginHandle, PluginReference } from './agent/plugin-handle.ts';
export type { ContextItem, PluginInit, Prepared } from './agent/plugin/plugin.ts';
export type { JsonSchemaInput } from './agent/json-schema-input.ts';
export type { Tool, ToolFilter, ToolInit, ToolTypes } from './agent/tool.ts';
export type { ToolNames } from './agent/types-of.ts';
export type { InferenceCall, ToolDescription } from './model/inference-client.ts';
export type { ProxyInferenceOptions } from './model/proxy-inference-options.ts';

// Types of runs.
export type { AgentLoopOptions, RunOptions } from './agent-loop/create-agent-loop.ts';
export type { BreakPlace } from './run/release-break.ts';
export type {
  AgentChange,
  AgentEventBody,
  AgentEventListener,
  AgentEventOf,
  AgentSignalBody,
} from './run/events.ts';
export type { Journal, JournalLease } from './run/journal.ts';
export type { RunAgentOptions, RunAgentResult } from './agent-loop/run-agent.ts';
export type { HookContract } from './run/slots.ts';
export type { Effect } from './run/effect-log.ts';

// Types of sessions and stores.
export type {
  BusyPolicy,
  ConflictPolicy,
  ForkPoint,
  FlushResult,
  PersistenceState,
  QueuedMessage,
  SendOptions,
  SessionActivity,
  SessionCommands,
  SessionPlace,
  SessionSettings,
  SnapshotStore,
  UnsentCommand,
  WritableSnapshotStore,
} from './session/agent-session.ts';
export type { MessageBranches } from './session/branches/conversation-branches.ts';
export type { SessionTree } from './session/branches/session-tree.ts';
export type { SomeOutput } from './session/conversation/conversation.ts';
export type { Selectors } from './session/conversation/selectors.ts';
export type { ApproveOptions, Feedback, ReleaseOptions } from './session/session-commands.ts';
export type { TurnOptions } from './session/store/queued-message.ts';
export type { BlobOptions, Durability, SessionQuery, StoredPast } from './session/store/session-store.ts';

// Types of detectors, of followers of a session, and of forks.
export type { PluginValue, ReplacedRequest } from './run/events.ts';
export type { Cursor } from './session/machine/session-model.ts';

// Types of bridges.
export type { SessionSource } from './session/session-source.ts';
export type { ReportedUsage } from './graph/usage-of-call.ts';
