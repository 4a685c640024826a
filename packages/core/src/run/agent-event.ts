import type { Usage } from '../graph/usage.ts';
import type { ContinuationEvaluation } from '../graph/continuation-evaluation.ts';
import type { StopReason } from '../graph/stop-reason.ts';
import type { StopSignal } from '../graph/stop-signal.ts';
import type { JsonValue } from '../kit/json.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import type { InferenceResponse } from '../graph/inference-response.ts';
import type { AgentState, AgentStep, AgentStepType, ExecutionStatus, ToolExecution } from '../graph/types.ts';

/** What happened, without the address that every event carries. */
export type AgentEventBody =
  | { readonly type: 'execution-start'; readonly isResumed: boolean; readonly model: string | null }
  | { readonly type: 'step-start' }
  | { readonly type: 'inference-start'; readonly request: InferenceRequest; readonly attempt: number }
  | {
      readonly type: 'inference-retry';
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ErrorInfo;
    }
  | { readonly type: 'text-delta'; readonly delta: string; readonly chunkIndex: number }
  | { readonly type: 'reasoning-delta'; readonly delta: string; readonly chunkIndex: number }
  | { readonly type: 'tool-call-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-call-delta'; readonly toolCallId: string; readonly delta: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
    }
  | { readonly type: 'inference-end'; readonly response: InferenceResponse }
  | { readonly type: 'usage-report'; readonly usage: Usage }
  | { readonly type: 'approval-request'; readonly toolCallId: string; readonly toolExecution: ToolExecution }
  | { readonly type: 'tool-start'; readonly toolCallId: string; readonly toolExecution: ToolExecution }
  | { readonly type: 'tool-progress'; readonly toolCallId: string; readonly progress: JsonValue }
  | { readonly type: 'tool-end'; readonly toolCallId: string; readonly toolExecution: ToolExecution }
  | {
      readonly type: 'subagent-start';
      readonly toolCallId: string;
      readonly name: string;
      readonly childAgentId: string;
      readonly depth: number;
      readonly maxDepth: number;
    }
  | {
      readonly type: 'subagent-end';
      readonly toolCallId: string;
      readonly name: string;
      readonly childAgentId: string;
      readonly status: ExecutionStatus;
      readonly stopReason: StopReason | null;
      readonly steps: number;
      readonly usage: Usage;
    }
  | {
      readonly type: 'step-end';
      readonly step: AgentStep;
      readonly stepType: AgentStepType;
      readonly durationMs: number;
    }
  | { readonly type: 'continuation-evaluate'; readonly evaluation: ContinuationEvaluation }
  | { readonly type: 'hook-end'; readonly hook: string; readonly point: string; readonly durationMs: number }
  | { readonly type: 'hook-violation'; readonly hook: string; readonly point: string; readonly field: string }
  | { readonly type: 'error-record'; readonly error: ErrorInfo }
  /** The run waits for the user: approvals are pending. Not terminal, the execution stays in progress. */
  | { readonly type: 'execution-pause'; readonly toolCallIds: readonly string[] }
  /** The one terminal event of a run, always the last. */
  | {
      readonly type: 'execution-end';
      readonly status: ExecutionStatus;
      readonly stopReason: StopReason | null;
      readonly stopSignal: StopSignal | null;
    };

/** Where an event belongs, and the state after it. */
export type AgentEventAddress = {
  readonly agentId: string;
  readonly parentAgentId: string | null;
  readonly executionId: string;
  /** Counted from 1; null outside any step. */
  readonly stepNumber: number | null;
  readonly at: number;
  readonly state: AgentState;
};

export type AgentEvent = AgentEventBody & AgentEventAddress;
export type AgentEventType = AgentEvent['type'];
export type AgentEventOf<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;
export type AgentEventListener = (event: AgentEvent) => void;
