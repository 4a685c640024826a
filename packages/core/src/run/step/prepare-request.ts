import { delegationTool } from '../../agent/delegation-tool.ts';
import type { LlmConfig } from '../../graph/llm-config.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';
import { type Message, system } from '../../graph/message.ts';
import * as PluginState from '../../agent/plugin/plugin-state.ts';
import type { ContextItem, Plugin, Prepared } from '../../agent/plugin/plugin.ts';
import type { AgentState } from '../../graph/types.ts';
import { assertUnique } from '../../agent/tool-list.ts';
import type { Tool } from '../../agent/tool.ts';
import { currentStepNumber, type Run } from '../run.ts';

/** A model call that is ready to go, and the tools that it offers. */
export type PreparedRequest = {
  readonly request: InferenceRequest;
  /** The messages of the request without the system prompt. */
  readonly conversation: readonly Message[];
  readonly tools: readonly Tool[];
};

/** Model and settings that a run really uses: the state's, else the definition's. */
export function effectiveLlmConfig(run: Run): LlmConfig | null {
  return run.state.llmConfig ?? run.agent.llmConfig;
}

/** Asks the plugins, chooses the messages, and puts the request together. */
export async function prepareRequest(run: Run): Promise<PreparedRequest> {
  const contributions = await preparePlugins(run);
  const { agent, state } = run;
  const tools = [...staticTools(run), ...contributions.flatMap((entry) => entry.tools ?? [])];
  assertUnique(tools, `Agent ${JSON.stringify(agent.name)}`);
  const config = effectiveLlmConfig(run);
  const conversation = agent.compileMessages(state);
  const prompt = systemPrompt(state.context.systemPrompt || agent.systemPrompt, contributions);
  return {
    tools,
    conversation,
    request: {
      model: config?.model ?? null,
      messages: prompt === '' ? conversation : [systemMessage(prompt, run), ...conversation],
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      toolChoice: 'auto',
      responseFormat: state.context.responseFormat ?? agent.responseFormat,
      settings: config?.settings ?? {},
    },
  };
}

/** The tools that do not depend on `prepare`: the agent's, its plugins', those lent by a parent, and delegation. */
export function staticTools({ agent, extraTools }: Run): Tool[] {
  const own = [...agent.tools, ...agent.plugins.flatMap((plugin) => plugin.tools)];
  const lent = extraTools.filter((tool) => own.every((other) => other.name !== tool.name));
  return [...own, ...lent, ...(agent.subagents.length > 0 ? [delegationTool(agent.subagents)] : [])];
}

async function preparePlugins(run: Run): Promise<Prepared[]> {
  const contributions: Prepared[] = [];
  for (const plugin of run.agent.plugins) {
    if (plugin.prepare === null) continue;
    const prepared = await plugin.prepare(prepareContext(run, plugin));
    if (prepared) contributions.push(withOwner(prepared, plugin));
  }
  return contributions;
}

function prepareContext(run: Run, plugin: Plugin): Parameters<NonNullable<Plugin['prepare']>>[0] {
  const set = (value: unknown): void => {
    run.state = PluginState.set(run.state, plugin, value, run.env);
  };
  return {
    get agentState(): AgentState {
      return run.state;
    },
    stepNumber: currentStepNumber(run),
    signal: run.signal,
    get: () => PluginState.get(run.state, plugin),
    set,
    update: (update) => set(update(PluginState.get(run.state, plugin))),
  };
}

function withOwner(prepared: Prepared, plugin: Plugin): Prepared {
  return prepared.tools
    ? { ...prepared, tools: prepared.tools.map((tool) => ({ ...tool, pluginId: plugin.id })) }
    : prepared;
}

function systemPrompt(prompt: string, contributions: readonly Prepared[]): string {
  const instructions = contributions.map((entry) => entry.instructions ?? '');
  const items = contributions.flatMap((entry) => entry.context ?? []).map(describeItem);
  return [prompt, ...instructions, ...items].filter((text) => text !== '').join('\n\n');
}

function describeItem({ name, content }: ContextItem): string {
  return `# ${name}\n${content}`;
}

function systemMessage(prompt: string, run: Run): Message {
  // Made anew for every request and never stored, so its id only has to differ from those of the conversation.
  return system(prompt, { id: `system:${run.state.agentId}`, createdAt: run.state.createdAt }, run.env);
}
