import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { LlmConfig } from '../graph/llm-config.ts';
import type { HookStack } from './hook-stack.ts';
import type { ResponseFormat } from '../graph/response-format.ts';
import type { InferenceClient } from '../model/inference-client.ts';
import type { Message } from '../graph/message.ts';
import type { Plugin } from './plugin/plugin.ts';
import type { ToolTrace } from '../graph/agent-state/step-transitions.ts';
import type { AgentState } from '../graph/types.ts';
import type { Schema } from './schema.ts';
import type { ToolFilter } from './tool-list.ts';
import type { Tool } from './tool.ts';

/** Chooses what the model sees of a state; calls and their results always stay together. */
export type MessageCompiler = (state: AgentState) => readonly Message[];

/** How transient failures before the first delta are retried, and how often invalid structured output is sent back. */
export type RetryPolicy = {
  /** Model calls in all, the first one included. Default: 3. */
  readonly maxAttempts: number;
  /** Default: 500. */
  readonly baseDelayMs: number;
  /** Default: 8000. A longer `retry-after` of the upstream is honoured up to 60 s. */
  readonly maxDelayMs: number;
  /** How often invalid structured output is sent back to the model. Default: 2. */
  readonly maxOutputRetries: number;
};

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

/** What an agent is; it never changes while it runs. */
export type AgentDefinition = {
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly inference: InferenceClient;
  readonly tools: readonly Tool[];
  readonly plugins: readonly Plugin[];
  readonly subagents: readonly Subagent[];
  readonly hooks: HookStack;
  readonly budget: ExecutionBudget;
  readonly llmConfig: LlmConfig | null;
  readonly responseFormat: ResponseFormat | null;
  /** Validates the final answer, when `responseFormat` was given as a schema. */
  readonly responseSchema: Schema | null;
  readonly toolTrace: ToolTrace;
  readonly compileMessages: MessageCompiler;
  readonly toolConcurrency: number;
  readonly retry: RetryPolicy;
  readonly subagentPolicy: SubagentPolicy;
};
