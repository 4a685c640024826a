import type { ExecutionBudget } from '../graph/execution-budget.ts';
import type { SessionBudget } from '../graph/limits.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { ResponseFormat } from '../graph/llm-config.ts';
import type { ToolTrace } from '../graph/agent-state/transitions.ts';
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

/** Options of `defineAgent`; all are optional. */
export type AgentInit<
  T extends Tool = Tool,
  P extends Plugin = Plugin,
  S extends SubagentInit = SubagentInit,
  F extends ResponseFormat | Schema = ResponseFormat | Schema,
  D extends DataSchemas = DataSchemas,
> = {
  /** The name in events, logs and among subagents. Default: `agent`. */
  name?: string;
  /** The purpose of the agent, which a parent's model reads. Default: empty. */
  description?: string;
  /** The instructions of the agent. Default: empty. */
  systemPrompt?: string;
  /** The client that calls models. Default: `proxyInference({ url: '/api' })`. */
  inference?: InferenceClient;
  tools?: readonly T[];
  plugins?: readonly P[];
  /** Agents that this one may delegate to, each with the parent's tools that it may use. */
  subagents?: readonly S[];
  hooks?: readonly Hook[];
  /** Limits of one execution. Default: 20 steps; null removes a limit. */
  budget?: Partial<ExecutionBudget>;
  /**
   * Limits of all runs of a session together, in tokens and money. `budget` starts anew with every run; this one lasts
   * across reloads, resets and forks. Default: no limit.
   */
  sessionBudget?: Partial<SessionBudget>;
  /**
   * Most tool calls of one answer. Further calls get an error as their result, and the run continues. Default: 100.
   */
  maxToolCalls?: number;
  /**
   * Most bytes of a tool's result as JSON. A longer one is cut before it is stored, and the model is told how much was
   * cut. A tool may set its own limit; Infinity is no limit. Default: 1 MiB.
   */
  maxResultBytes?: number;
  /** Model, settings and prices; a session's own configuration takes precedence. */
  llmConfig?: LlmConfigInit;
  /** Free text (default), JSON of a JSON Schema, or a Standard Schema that the answer is validated with. */
  responseFormat?: F;
  /** Schemas of the data parts of messages, by name. Default: parts of any name, unchecked. */
  dataParts?: D;
  /** The place of calls and results: in `messages`, tagged, or in a section of their own. Default: `tagged`. */
  toolTrace?: ToolTrace;
  /** Selects the messages that the model receives. Default: `conversationWithCurrentToolTrace`. */
  compileMessages?: MessageCompiler;
  /** Calls of one step that run at the same time. Default: 4. */
  toolConcurrency?: number;
  /** Retry rules of failed model calls; omitted fields keep their default. */
  retry?: Partial<RetryPolicy>;
  /** Limits of delegation. Default: 3 levels, and each agent counts its own steps. */
  subagentPolicy?: Partial<SubagentPolicy>;
  /** Distinguishes builds when several tabs share a session. Default: none. */
  version?: string;
  /** Time limit in milliseconds of a hook, `prepare`, `needsApproval` or schema; Infinity is none. Default: 30,000. */
  hookTimeoutMs?: number;
  /** The final redaction of an error before it is stored, after the library has masked secrets. */
  redactError?: (error: ErrorInfo) => ErrorInfo;
};
