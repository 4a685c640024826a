import * as Budget from '../graph/limits/execution-budget.ts';
import type { LlmConfig } from '../graph/llm-config.ts';
import type { JsonObject } from '../kit/json.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { Hook } from './hook.ts';
import { of as hookStack } from './hook-stack.ts';
import type { ResponseFormat } from '../graph/response-format.ts';
import type { InferenceClient } from '../model/inference-client.ts';
import type { Plugin } from './plugin/plugin.ts';
import type { ToolTrace } from '../graph/agent-state/step-transitions.ts';
import { type Schema, toJsonSchema } from './schema.ts';
import { assertUnique, type ToolFilter } from './tool-list.ts';
import type { Tool } from './tool.ts';
import type {
  AgentDefinition,
  MessageCompiler,
  RetryPolicy,
  Subagent,
  SubagentPolicy,
} from './agent-definition.ts';
import { conversationWithCurrentToolTrace } from './compilers.ts';
import { delegationToolName } from './delegation-tool-name.ts';

export type AgentInit = {
  name: string;
  description?: string;
  systemPrompt: string;
  inference: InferenceClient;
  tools?: readonly Tool[];
  plugins?: readonly Plugin[];
  /** Agents that this one may delegate to, each with the parent's tools that it may use. */
  subagents?: readonly (AgentDefinition | { agent: AgentDefinition; inheritTools?: ToolFilter | null })[];
  hooks?: readonly Hook[];
  /** Limits left out are unlimited; leaving the budget out means 20 steps. */
  budget?: Partial<Budget.ExecutionBudget>;
  llmConfig?: { model?: string | null; settings?: JsonObject; prices?: LlmConfig['prices'] };
  /** Free text (default), JSON of a JSON Schema, or a Standard Schema that the answer is validated with. */
  responseFormat?: ResponseFormat | Schema;
  /** Default: `tagged`. */
  toolTrace?: ToolTrace;
  compileMessages?: MessageCompiler;
  /** Calls of one step that run at the same time. Default: 4. */
  toolConcurrency?: number;
  retry?: Partial<RetryPolicy>;
  subagentPolicy?: SubagentPolicy;
};

/** Steps that an agent may take in one execution unless its budget says otherwise. */
export const defaultMaxSteps = 20;

/**
 * Describes an agent; nothing runs yet.
 * @throws AgentError `tools-duplicate` or `agent-invalid` when names or ids are taken twice.
 */
export function defineAgent(init: AgentInit): AgentDefinition {
  const { name, tools = [], plugins = [] } = init;
  const subagents = (init.subagents ?? []).map(toSubagent);
  assertIds(name, plugins, subagents);
  const pluginTools = plugins.flatMap((plugin) => plugin.tools);
  assertUnique([...tools, ...pluginTools], `Agent ${JSON.stringify(name)}`);
  if (subagents.length > 0 && [...tools, ...pluginTools].some((tool) => tool.name === delegationToolName)) {
    throw new AgentError(
      'tools-duplicate',
      `Agent ${JSON.stringify(name)}: the tool name "${delegationToolName}" belongs to subagents.`,
    );
  }
  const { format, schema } = toResponseFormat(init.responseFormat, name);
  const retry = { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 8000, maxOutputRetries: 2, ...init.retry };
  return {
    name,
    description: init.description ?? '',
    systemPrompt: init.systemPrompt,
    inference: init.inference,
    tools,
    plugins,
    subagents,
    hooks: hookStack([...(init.hooks ?? []), ...plugins.flatMap((plugin) => plugin.hooks)]),
    budget: Budget.of(init.budget ?? { maxSteps: defaultMaxSteps }),
    llmConfig: init.llmConfig ? { model: null, settings: {}, ...withoutUndefined(init.llmConfig) } : null,
    responseFormat: format,
    responseSchema: schema,
    toolTrace: init.toolTrace ?? 'tagged',
    compileMessages: init.compileMessages ?? conversationWithCurrentToolTrace,
    toolConcurrency: Math.max(1, init.toolConcurrency ?? 4),
    retry: { ...retry, maxAttempts: Math.max(1, retry.maxAttempts) },
    subagentPolicy: init.subagentPolicy ?? { maxDepth: 3 },
  };
}

function toSubagent(
  entry: AgentDefinition | { agent: AgentDefinition; inheritTools?: ToolFilter | null },
): Subagent {
  return 'agent' in entry
    ? { agent: entry.agent, inheritTools: entry.inheritTools ?? null }
    : { agent: entry, inheritTools: null };
}

function assertIds(name: string, plugins: readonly Plugin[], subagents: readonly Subagent[]): void {
  const names = [
    ...plugins.map((plugin) => `plugin ${plugin.id}`),
    ...subagents.map((entry) => `subagent ${entry.agent.name}`),
  ];
  const twice = names.find((candidate, index) => names.indexOf(candidate) !== index);
  if (twice === undefined) return;
  throw new AgentError(
    'agent-invalid',
    `Agent ${JSON.stringify(name)} has the ${twice} twice; give one of them another name.`,
  );
}

function toResponseFormat(
  format: ResponseFormat | Schema | undefined,
  name: string,
): { format: ResponseFormat | null; schema: Schema | null } {
  if (format === undefined) return { format: null, schema: null };
  if (!('~standard' in format)) return { format, schema: null };
  const schema = toJsonSchema(format, 'output', `Response format of agent ${JSON.stringify(name)}`);
  return { format: { type: 'json', schema }, schema: format };
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never;
}
