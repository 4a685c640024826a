import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { LlmConfig } from '../graph/llm-config.ts';
import type { Message } from '../graph/message.ts';
import type { ResponseFormat } from '../graph/response-format.ts';
import type { ToolTrace } from '../graph/agent-state/step-transitions.ts';
import type { AgentState } from '../graph/types.ts';
import type { InferenceClient } from '../model/inference-client.ts';
import type { AgentTypes, DataSchemas } from './agent-types.ts';
import type { HookStack } from './hook-stack.ts';
import type { Plugin } from './plugin/plugin.ts';
import type { Schema } from './schema.ts';
import type { ToolFilter } from './tool-list.ts';
import type { Tool } from './tool.ts';

/**
 * Chooses what the model sees of a state; calls and their results always stay together. For the same state it gives the
 * same array.
 */
export type MessageCompiler = (state: AgentState) => readonly Message[];

/** How transient failures before the first delta are retried, and how often invalid structured output is sent back. */
export type RetryPolicy = {
  /** Model calls in all, the first one included. Default: 3. */
  readonly maxAttempts: number;
  /** Milliseconds before the first retry; doubled each time. Default: 500. */
  readonly baseDelayMs: number;
  /** Milliseconds at most. Default: 8000. A longer `retry-after` of the upstream is honoured up to 60 s. */
  readonly maxDelayMs: number;
  /** How often invalid structured output is sent back to the model. Default: 2. */
  readonly maxOutputRetries: number;
};

/** Limits of delegation. */
export type SubagentPolicy = {
  /** How deep delegation may nest. Default: 3. */
  readonly maxDepth: number;
};

/** An agent that another one may delegate to. */
export type Subagent = {
  readonly agent: AgentDefinition;
  /** Which of the parent's tools it may use besides its own. Default: none. */
  readonly inheritTools: ToolFilter | null;
};

/**
 * What an agent is; it never changes while it runs. `Types` is what `defineAgent` has found out about its tools, plugins
 * and output; without it the type stands for any agent.
 */
export type AgentDefinition<Types extends AgentTypes = AgentTypes> = {
  readonly name: string;
  /** What it is good for; a parent's model reads it. */
  readonly description: string;
  readonly systemPrompt: string;
  /** Tells builds apart: a tab whose agent has another version takes over only between turns. Null: not told. */
  readonly version: string | null;
  readonly inference: InferenceClient;
  readonly tools: readonly Tool[];
  readonly plugins: readonly Plugin[];
  readonly subagents: readonly Subagent[];
  readonly hooks: HookStack;
  /** What one execution may spend. */
  readonly budget: ExecutionBudget;
  readonly llmConfig: LlmConfig | null;
  /** Null for free text, and for what is told from `responseSchema` once a model is called. */
  readonly responseFormat: ResponseFormat | null;
  /** Validates the final answer, when `responseFormat` was given as a schema. */
  readonly responseSchema: Schema | null;
  /** Schemas of data parts by name; null when parts of any name are taken as they are. */
  readonly dataParts: DataSchemas | null;
  readonly toolTrace: ToolTrace;
  /** Null for `conversationWithCurrentToolTrace`. */
  readonly compileMessages: MessageCompiler | null;
  /** Calls of one step that run at the same time; 1 or more. */
  readonly toolConcurrency: number;
  readonly retry: RetryPolicy;
  readonly subagentPolicy: SubagentPolicy;
  /** Milliseconds that a hook, `prepare`, `needsApproval` or schema may take; Infinity is no limit. */
  readonly hookTimeoutMs: number;
  /** Has the last word on an error before it is stored; null when the library's own masking is enough. */
  readonly redactError: ((error: ErrorInfo) => ErrorInfo) | null;
  /** Types only; never set. */
  readonly '~types'?: Types;
};
