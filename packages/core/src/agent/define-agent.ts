import type { ResponseFormat } from '../graph/llm-config.ts';
import * as errors from '../kit/errors.ts';
import { isDevelopment } from '../kit/freeze.ts';
import { proxyInference } from '../model/proxy-inference.ts';
import {
  type AgentDefinition,
  type RetryPolicy,
  type Subagent,
  type SubagentPolicy,
  type AgentInit,
  type SubagentInit,
  delegationToolName,
} from './agent-definition.ts';
import type { DataSchemas, InferredTypes } from './agent-types.ts';
import {
  type Refused,
  checkedAmount,
  checkedArray,
  checkedBudget,
  checkedBytes,
  checkedCount,
  checkedSessionBudget,
  checkedTimeLimit,
  checkLlmConfig,
  checkedList,
  checkAgent,
  checkOptions,
} from './check-init.ts';
import { assertUnique, type Tool } from './tool.ts';
import { type Hook, of as hookStack } from './hook.ts';
import type { Plugin } from './plugin/plugin.ts';
import { ownJsonSchema, type Schema } from './schema.ts';

declare const process: { env: { NODE_ENV?: string } };

const defaultHookTimeoutMs = 30_000;
const defaultMaxResultBytes = 1024 * 1024;
const defaultRetry: RetryPolicy = { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 8000, maxOutputRetries: 2 };

/**
 * Defines an agent; nothing runs yet. Its type carries the names, inputs and outputs of the tools, the state of the
 * plugins and the output of a `responseFormat` schema: see `ToolInput`, `ToolOutput`, `AgentOutput` and `ChatMessage`.
 * @example
 * const assistant = defineAgent({ systemPrompt: 'Be brief.', tools: [weather] });
 * @throws AgentError `tools-duplicate` or `agent-invalid` for duplicate names or ids, or an invalid limit.
 */
export function defineAgent<
  T extends Tool = never,
  P extends Plugin = never,
  S extends SubagentInit = never,
  F extends ResponseFormat | Schema = never,
  D extends DataSchemas = never,
>(init: AgentInit<T, P, S, F, D, Refused['byName']>): AgentDefinition<InferredTypes<T, P, S, F, D>> {
  const { name = 'agent', toolConcurrency = 4, hookTimeoutMs } = init;
  const owner = `Agent ${JSON.stringify(name)}`;
  const tools = checkedList<Tool>(init.tools, `${owner}: tools`, 'needsApproval', 'defineTool');
  const plugins = checkedList<Plugin>(init.plugins, `${owner}: plugins`, 'persist', 'definePlugin');
  const hooks = checkedList<Hook>(init.hooks, `${owner}: hooks`, 'run', 'defineHook');
  const subagents = checkedArray<SubagentInit>(
    init.subagents,
    `${owner}: subagents`,
    'inference',
    'defineAgent',
  ).map(toSubagent);
  for (const { agent } of subagents) checkAgent(agent, `${owner}: a subagent`);
  assertIds(owner, plugins, subagents);
  assertTools(owner, [...tools, ...plugins.flatMap((plugin) => plugin.tools)], subagents);
  const agent: AgentDefinition<InferredTypes<T, P, S, F, D>> = {
    name,
    description: init.description ?? '',
    systemPrompt: init.systemPrompt ?? '',
    version: init.version ?? null,
    inference: init.inference ?? proxyInference({ url: '/api' }),
    tools,
    plugins,
    subagents,
    hooks: hookStack([...hooks, ...plugins.flatMap((plugin) => plugin.hooks)]),
    budget: checkedBudget(init.budget, owner),
    sessionBudget: checkedSessionBudget(init.sessionBudget, owner),
    maxToolCalls: checkedCount(init.maxToolCalls ?? 100, 1, `${owner}: maxToolCalls`),
    maxResultBytes: checkedBytes(init.maxResultBytes ?? defaultMaxResultBytes, `${owner}: maxResultBytes`),
    llmConfig: init.llmConfig ? checkLlmConfig(init.llmConfig, owner) : null,
    ...toResponseFormat(init.responseFormat, owner),
    dataParts: init.dataParts ?? null,
    toolTrace: init.toolTrace ?? 'tagged',
    compileMessages: init.compileMessages ?? null,
    toolConcurrency: checkedCount(toolConcurrency, 1, `${owner}: toolConcurrency`),
    retry: checkedRetry(init.retry, owner),
    subagentPolicy: checkedPolicy(init.subagentPolicy, owner),
    hookTimeoutMs: checkedTimeLimit(hookTimeoutMs, `${owner}: hookTimeoutMs`) ?? defaultHookTimeoutMs,
    redactError: init.redactError ?? null,
    expects: init.expects ?? [],
  };
  if (isDevelopment && process.env.NODE_ENV !== 'production')
    checkOptions(init, agent, owner, namesElsewhere);
  return agent;
}

/** Options of other libraries, and what they are called here. */
const namesElsewhere: Readonly<Record<string, string>> = {
  system: 'systemPrompt',
  instructions: 'systemPrompt',
  model: 'llmConfig: { model }',
  maxSteps: 'budget: { maxSteps }',
};

function checkedPolicy(policy: Partial<SubagentPolicy> | undefined, owner: string): SubagentPolicy {
  const { maxDepth = 3, maxTotalSteps = null } = policy ?? {};
  const steps = maxTotalSteps === null ? 0 : maxTotalSteps;
  checkedCount(steps, 0, `${owner}: subagentPolicy.maxTotalSteps`);
  return { maxDepth: checkedCount(maxDepth, 0, `${owner}: subagentPolicy.maxDepth`), maxTotalSteps };
}

function toSubagent(entry: SubagentInit): Subagent {
  return 'agent' in entry
    ? { agent: entry.agent, inheritTools: entry.inheritTools ?? null }
    : { agent: entry, inheritTools: null };
}

function assertIds(owner: string, plugins: readonly Plugin[], subagents: readonly Subagent[]): void {
  const names = [
    ...plugins.map((plugin) => `plugin ${plugin.id}`),
    ...subagents.map((entry) => `subagent ${entry.agent.name}`),
  ];
  const twice = names.find((candidate, index) => names.indexOf(candidate) !== index);
  if (twice === undefined) return;
  throw errors.agentInvalid(`${owner} has the ${twice} twice; give one of them another name.`);
}

function assertTools(owner: string, tools: readonly Tool[], subagents: readonly Subagent[]): void {
  assertUnique(tools, owner);
  if (subagents.length === 0 || tools.every((tool) => tool.name !== delegationToolName)) return;
  const why = `the tool name "${delegationToolName}" belongs to subagents; rename the tool.`;
  throw errors.toolsDuplicate({ owner, toolName: delegationToolName, why });
}

function checkedRetry(init: Partial<RetryPolicy> | undefined, owner: string): RetryPolicy {
  const { maxAttempts, baseDelayMs, maxDelayMs, maxOutputRetries } = { ...defaultRetry, ...init };
  return {
    maxAttempts: checkedCount(maxAttempts, 1, `${owner}: retry.maxAttempts`),
    baseDelayMs: checkedAmount(baseDelayMs, `${owner}: retry.baseDelayMs`),
    maxDelayMs: checkedAmount(maxDelayMs, `${owner}: retry.maxDelayMs`),
    maxOutputRetries: checkedCount(maxOutputRetries, 0, `${owner}: retry.maxOutputRetries`),
  };
}

function toResponseFormat(
  format: ResponseFormat | Schema | undefined,
  owner: string,
): { responseFormat: ResponseFormat | null; responseSchema: Schema | null } {
  if (format === undefined) return { responseFormat: null, responseSchema: null };
  if (!('~standard' in format)) return { responseFormat: format, responseSchema: null };
  const schema = ownJsonSchema(format, 'output', `${owner}: responseFormat`);
  return { responseFormat: schema && { type: 'json', schema }, responseSchema: format };
}
