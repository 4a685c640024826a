import type { ExecutionBudget } from '../graph/execution-budget.ts';
import type { SessionBudget } from '../graph/limits.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { LlmConfig, ResponseFormat } from '../graph/llm-config.ts';
import type { Message } from '../graph/message.ts';
import type { ToolTrace } from '../graph/agent-state/transitions.ts';
import type { AgentState } from '../graph/types.ts';
import type { InferenceClient } from '../model/inference-client.ts';
import type { AgentTypes, DataSchemas } from './agent-types.ts';
import type { HookStack, Hook } from './hook.ts';
import type { Plugin } from './plugin/plugin.ts';
import type { Schema } from './schema.ts';
import type { ToolFilter, Tool } from './tool.ts';
import type { LlmConfigInit } from './check-init.ts';

/** Selects the messages for the model. Calls stay with their results, and one state gives one array. */
export type MessageCompiler = (state: AgentState) => readonly Message[];

/** The retry rules for transient errors before the first delta and for invalid structured output. */
export type RetryPolicy = {
  /** Number of model calls in all, the first one included. Default: 3. */
  readonly maxAttempts: number;
  /** Milliseconds before the first retry; doubled each time. Default: 500. */
  readonly baseDelayMs: number;
  /** Longest delay in milliseconds. Default: 8000. A longer `retry-after` of the upstream is respected up to 60 s. */
  readonly maxDelayMs: number;
  /** Number of times that invalid structured output is sent back to the model. Default: 2. */
  readonly maxOutputRetries: number;
};

/** Limits of delegation. */
export type SubagentPolicy = {
  /** Greatest depth of delegation. Default: 3. */
  readonly maxDepth: number;
  /**
   * Step limit of the agent and all subagents below it together; the run stops with `steps-limit-reached` of the
   * source `ledger`. Null: each agent counts its own steps, as `budget.maxSteps` says. Default: null.
   */
  readonly maxTotalSteps: number | null;
};

/** An agent to which another one may delegate. */
export type Subagent = {
  readonly agent: AgentDefinition;
  /** The parent's tools that it may use besides its own. Default: none. */
  readonly inheritTools: ToolFilter | null;
};

/**
 * The definition of an agent; it is immutable. `Types` holds the inferred types of tools, plugins and output; without
 * it the type stands for any agent.
 */
export type AgentDefinition<Types extends AgentTypes = AgentTypes> = {
  readonly name: string;
  /** The purpose of the agent, which a parent's model reads. */
  readonly description: string;
  readonly systemPrompt: string;
  /** Distinguishes builds: a tab whose agent has another version takes over only between turns. */
  readonly version: string | null;
  readonly inference: InferenceClient;
  readonly tools: readonly Tool[];
  readonly plugins: readonly Plugin[];
  readonly subagents: readonly Subagent[];
  readonly hooks: HookStack;
  /** Limits of one execution. */
  readonly budget: ExecutionBudget;
  /** Limits of all runs of a session together. */
  readonly sessionBudget: SessionBudget;
  /** Most tool calls of one answer. */
  readonly maxToolCalls: number;
  /** Most bytes of a tool's result, unless the tool sets its own limit; null is no limit. */
  readonly maxResultBytes: number | null;
  readonly llmConfig: LlmConfig | null;
  /** The format of the answer. Null for free text, and for one that `responseSchema` tells at the first call. */
  readonly responseFormat: ResponseFormat | null;
  /** Validates the final answer, when `responseFormat` was given as a schema. */
  readonly responseSchema: Schema | null;
  /** Schemas of data parts by name; null when parts of any name are taken as they are. */
  readonly dataParts: DataSchemas | null;
  readonly toolTrace: ToolTrace;
  /** The message compiler; null for `conversationWithCurrentToolTrace`. */
  readonly compileMessages: MessageCompiler | null;
  /** Calls of one step that run at the same time; 1 or more. */
  readonly toolConcurrency: number;
  readonly retry: RetryPolicy;
  readonly subagentPolicy: SubagentPolicy;
  /** Time limit in milliseconds of a hook, `prepare`, `needsApproval` or schema; Infinity is no limit. */
  readonly hookTimeoutMs: number;
  /** The final redaction of an error before it is stored; null when the library's own masking is enough. */
  readonly redactError: ((error: ErrorInfo) => ErrorInfo) | null;
  /** Codes of the findings in its runs that are meant. */
  readonly expects?: readonly string[];
  /** Types only; never set. */
  readonly '~types'?: Types;
};

/** An agent to delegate to, alone or with the parent's tools that it may use. */
export type SubagentInit =
  AgentDefinition | { readonly agent: AgentDefinition; readonly inheritTools?: ToolFilter | null };

/** Options of `defineAgent`; all are optional. `Other` is what it refuses in place of a list with a sentence. */
export type AgentInit<
  T extends Tool = Tool,
  P extends Plugin = Plugin,
  S extends SubagentInit = SubagentInit,
  F extends ResponseFormat | Schema = ResponseFormat | Schema,
  D extends DataSchemas = DataSchemas,
  Other = never,
> = {
  /** The name in events, logs and among subagents. Default: `agent`. */
  name?: string;
  /** The purpose of the agent, which a parent's model reads. Default: empty. */
  description?: string;
  /** The instructions of the agent. Default: empty. */
  systemPrompt?: string;
  /** The client that calls models. Default: `proxyInference({ url: '/api' })`. */
  inference?: InferenceClient;
  tools?: readonly T[] | Other;
  plugins?: readonly P[] | Other;
  /** Agents that this one may delegate to, each with the parent's tools that it may use. */
  subagents?: readonly S[] | Other;
  hooks?: readonly Hook[] | Other;
  /** Limits of one execution. Default: 20 steps; null removes a limit. */
  budget?: Partial<ExecutionBudget>;
  /**
   * Limits of all runs of a session together, in tokens and money. `budget` starts anew with every run; this one lasts
   * across reloads, resets and forks. Default: no limit.
   */
  sessionBudget?: Partial<SessionBudget>;
  /** Most tool calls of one answer. Further calls get an error as their result, and the run continues. Default: 100. */
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
  /** Codes of findings that are meant, e.g. `['messages-left-out']`: such hints are folded. Default: none. */
  expects?: readonly string[];
};

/** The name of the tool through which an agent delegates to its subagents. */
export const delegationToolName = 'delegate';
