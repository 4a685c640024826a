import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { ResponseFormat } from '../graph/response-format.ts';
import type { ToolTrace } from '../graph/agent-state/step-transitions.ts';
import type { InferenceClient } from '../model/inference-client.ts';
import type { AgentDefinition, MessageCompiler, RetryPolicy, SubagentPolicy } from './agent-definition.ts';
import type { DataSchemas } from './agent-types.ts';
import type { LlmConfigInit } from './check-llm-config.ts';
import type { Hook } from './hook.ts';
import type { Plugin } from './plugin/plugin.ts';
import type { Schema } from './schema.ts';
import type { ToolFilter } from './tool-list.ts';
import type { Tool } from './tool.ts';

/** An agent to delegate to, alone or with the parent's tools that it may use. */
export type SubagentInit =
  AgentDefinition | { readonly agent: AgentDefinition; readonly inheritTools?: ToolFilter | null };

/** What `defineAgent` takes; nothing is required. */
export type AgentInit<
  T extends Tool = Tool,
  P extends Plugin = Plugin,
  S extends SubagentInit = SubagentInit,
  F extends ResponseFormat | Schema = ResponseFormat | Schema,
  D extends DataSchemas = DataSchemas,
> = {
  /** Names it in events, logs and among subagents. Default: `agent`. */
  name?: string;
  /** What it is good for; a parent's model reads it. Default: empty. */
  description?: string;
  /** Default: empty. */
  systemPrompt?: string;
  /** Where models are called. Default: `proxyInference({ url: '/api' })`. */
  inference?: InferenceClient;
  tools?: readonly T[];
  plugins?: readonly P[];
  /** Agents that this one may delegate to, each with the parent's tools that it may use. */
  subagents?: readonly S[];
  hooks?: readonly Hook[];
  /** What one execution may spend. Default: 20 steps; null takes a limit away. */
  budget?: Partial<ExecutionBudget>;
  /** Model, settings and prices; a session's own configuration goes before it. */
  llmConfig?: LlmConfigInit;
  /** Free text (default), JSON of a JSON Schema, or a Standard Schema that the answer is validated with. */
  responseFormat?: F;
  /** Schemas of the data parts that messages may hold, by name. Default: parts of any name, unchecked. */
  dataParts?: D;
  /** Where calls and results are kept: in `messages`, tagged, or in a section of their own. Default: `tagged`. */
  toolTrace?: ToolTrace;
  /** What the model sees of a state. Default: `conversationWithCurrentToolTrace`. */
  compileMessages?: MessageCompiler;
  /** Calls of one step that run at the same time. Default: 4. */
  toolConcurrency?: number;
  /** How failed model calls are tried again; what is left out keeps its default. */
  retry?: Partial<RetryPolicy>;
  /** Default: delegation nests 3 deep. */
  subagentPolicy?: SubagentPolicy;
  /** Tells builds apart when several tabs share a session. Default: none. */
  version?: string;
  /** Milliseconds that a hook, `prepare`, `needsApproval` or schema may take; Infinity is none. Default: 30,000. */
  hookTimeoutMs?: number;
  /** Has the last word on an error before it is stored, after the library has masked what looks like a secret. */
  redactError?: (error: ErrorInfo) => ErrorInfo;
};
