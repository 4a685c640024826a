import { delegationTool } from '../../agent/delegation-tool.ts';
import type { LlmConfig } from '../../graph/llm-config.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';
import { type Message, system } from '../../graph/message.ts';
import * as PluginState from '../../agent/plugin/plugin-state.ts';
import type { ContextItem, Plugin, Prepared } from '../../agent/plugin/plugin.ts';
import type { AgentState } from '../../graph/types.ts';
import { conversationWithCurrentToolTrace } from '../../agent/compilers.ts';
import { inputSchemaOf, responseFormatOf } from '../../agent/json-schema-of.ts';
import { assertUnique } from '../../agent/assert-unique.ts';
import type { Tool } from '../../agent/tool.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { grown } from '../../kit/grown-list.ts';
import { memoize } from '../../kit/memoize.ts';
import { memoizeGrowing } from '../../kit/memoize-growing.ts';
import { commit, type Run, stateOf, stepNumber, userCode } from '../run.ts';
import { ownedMessages } from '../owned-messages.ts';
import { stateChanges } from '../state-changes.ts';
import { checkedPrepared } from './checked-prepared.ts';

/** A model call that is ready to go, and the tools that it offers. */
export type PreparedRequest = {
  readonly request: InferenceRequest;
  readonly tools: readonly Tool[];
};

/** Model and settings that a run really uses: the state's, else the definition's. */
export function effectiveLlmConfig(run: Run): LlmConfig | null {
  const config = stateOf(run).llmConfig ?? run.agent.llmConfig;
  if (run.model === null || config?.model === run.model) return config;
  return { settings: {}, ...config, model: run.model };
}

/** One for all, because every kept step holds its settings. */
const noSettings: InferenceRequest['settings'] = Object.freeze({});

/** Asks the plugins, chooses the messages, and puts the request together. */
export async function prepareRequest(run: Run): Promise<PreparedRequest> {
  const contributions = await preparePlugins(run);
  const { agent } = run;
  const state = stateOf(run);
  const tools = [...staticTools(run), ...contributions.flatMap((entry) => entry.tools ?? [])];
  assertUnique(tools, `Agent ${JSON.stringify(agent.name)}`);
  const config = effectiveLlmConfig(run);
  const conversation = await compiled(run);
  const prompt = systemPrompt(state.context.systemPrompt || agent.systemPrompt, contributions);
  return {
    tools,
    request: {
      model: config?.model ?? null,
      messages: prompt === '' ? conversation : behind(systemMessage(prompt, state, run))(conversation),
      tools: described(tools),
      toolChoice: 'auto',
      responseFormat: state.context.responseFormat ?? responseFormatOf(agent),
      settings: config?.settings ?? noSettings,
    },
  };
}

/** The tools that do not depend on `prepare`: the agent's, its plugins', those lent by a parent, and delegation. */
export function staticTools({ agent, lentTools: extraTools }: Run): Tool[] {
  const own = [...agent.tools, ...agent.plugins.flatMap((plugin) => plugin.tools)];
  const lent = extraTools.filter((tool) => own.every((other) => other.name !== tool.name));
  return [...own, ...lent, ...(agent.subagents.length > 0 ? [delegationTool(agent.subagents)] : [])];
}

async function compiled(run: Run): Promise<readonly Message[]> {
  const compile = run.agent.compileMessages ?? conversationWithCurrentToolTrace;
  const messages: unknown = await userCode(run, 'compileMessages', () => compile(stateOf(run)));
  if (compile === conversationWithCurrentToolTrace) return messages as readonly Message[];
  if (!Array.isArray(messages))
    throw new AgentError('hook-contract', 'compileMessages has to return a list of messages.');
  const { sections } = stateOf(run).context.store;
  const stored = sections.flatMap((section) => section.messages);
  return ownedMessages(messages, stored, run.env);
}

let lastDescribed: { tools: readonly Tool[]; list: InferenceRequest['tools'] } = { tools: [], list: [] };

/** The same list for the same tools, so that it is hashed and written once. */
function described(tools: readonly Tool[]): InferenceRequest['tools'] {
  const { tools: known } = lastDescribed;
  const isSame = known.length === tools.length && tools.every((tool, index) => tool === known[index]);
  if (isSame) return lastDescribed.list;
  const list = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchemaOf(tool),
  }));
  lastDescribed = { tools, list };
  return list;
}

async function preparePlugins(run: Run): Promise<Prepared[]> {
  const contributions: Prepared[] = [];
  for (const plugin of run.agent.plugins) {
    if (plugin.prepare === null) continue;
    const { prepare } = plugin;
    const given: unknown = await userCode(run, `prepare of plugin ${JSON.stringify(plugin.id)}`, () =>
      prepare(prepareContext(run, plugin)),
    );
    const prepared = checkedPrepared(given, plugin);
    if (prepared !== null) contributions.push(prepared);
  }
  return contributions;
}

function prepareContext(run: Run, plugin: Plugin): Parameters<NonNullable<Plugin['prepare']>>[0] {
  const set = (value: unknown): void => {
    const before = stateOf(run);
    const after = PluginState.set(before, plugin, value, run.env);
    for (const change of stateChanges(before, after, plugin.id, run.env)) commit(run, change);
  };
  return {
    get agentState(): AgentState {
      return stateOf(run);
    },
    stepNumber: stepNumber(run),
    signal: run.signal,
    get: () => PluginState.get(stateOf(run), plugin),
    set,
    update: (update) => set(update(PluginState.get(stateOf(run), plugin))),
  };
}

function systemPrompt(prompt: string, contributions: readonly Prepared[]): string {
  const instructions = contributions.map((entry) => entry.instructions ?? '');
  const items = contributions.flatMap((entry) => entry.context ?? []).map(describeItem);
  return [prompt, ...instructions, ...items].filter((text) => text !== '').join('\n\n');
}

function describeItem({ name, content }: ContextItem): string {
  return `# ${name}\n${content}`;
}

const systemMessages = new WeakMap<Run, { prompt: string; message: Message }>();

/** Never stored, so its id only has to differ from those of the conversation. The same message for the same text. */
function systemMessage(prompt: string, state: AgentState, run: Run): Message {
  const known = systemMessages.get(run);
  if (known?.prompt === prompt) return known.message;
  const message = system(prompt, { id: `system:${state.agentId}`, createdAt: state.createdAt }, run.env);
  systemMessages.set(run, { prompt, message });
  return message;
}

/** A list that goes on from the one of the step before is told as such. */
const behind = memoize((first: Message) =>
  memoizeGrowing<Message, readonly Message[]>((before, conversation, from) =>
    grown(before ?? [first], conversation.slice(from)),
  ),
);
