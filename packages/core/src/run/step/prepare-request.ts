import { delegationTool } from '../../agent/delegation-tool.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';
import { type Message, system, text } from '../../graph/message.ts';
import type { AgentState, SentRequest } from '../../graph/types.ts';
import { conversationWithCurrentToolTrace } from '../../agent/compilers.ts';
import { inputSchemaOf, responseFormatOf } from '../../agent/json-schema-of.ts';
import { anyName, assertUnique, type Tool } from '../../agent/tool.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { growList, memoize, memoizeGrowing, nothing } from '../../kit/memoize.ts';
import { effectiveLlmConfig, stateOf, userCode } from '../run.ts';
import { ownedMessages } from '../boundary.ts';
import { hashText } from '../../kit/hash.ts';
import { rangesOf } from '../../graph/sent.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { Contribution, ModelCall, Run } from '../slots.ts';

/** A prepared model call, and the tools that it offers. */
export type PreparedRequest = {
  readonly request: InferenceRequest;
  /** The messages of the request after the system prompt; null when no prompt was put before them. */
  readonly conversation: readonly Message[] | null;
  readonly tools: readonly Tool[];
  /** The contributions to the request, as the journal tells them. */
  readonly authors: ModelCall['authors'];
};

/** One shared object, because every stored step holds its settings. */
const noSettings: InferenceRequest['settings'] = Object.freeze({});

/** Asks for contributions, selects the messages and builds the request. */
export async function prepareRequest(run: Run): Promise<PreparedRequest> {
  const { agent } = run;
  const contributions = (await run.slots.contribute?.()) ?? [];
  const tools = toolsOf(run, contributions);
  const config = effectiveLlmConfig(run);
  const conversation = await run.slots.chooseMessages(run);
  const state = stateOf(run);
  const prompt = systemPrompt(state.context.systemPrompt || agent.systemPrompt, contributions);
  return {
    tools,
    authors:
      contributions.length === 0
        ? {}
        : { contributions: Object.fromEntries(contributions.map(({ by, hash }) => [by, hash])) },
    conversation: prompt === '' ? null : conversation,
    request: {
      model: config?.model ?? null,
      messages: prompt === '' ? conversation : behind(systemMessage(prompt, state, run))(conversation),
      tools: describeTools(tools),
      toolChoice: 'auto',
      responseFormat: state.context.responseFormat ?? responseFormatOf(agent),
      settings: config?.settings ?? noSettings,
    },
  };
}

export async function prepareTools(run: Run): Promise<readonly Tool[]> {
  return toolsOf(run, (await run.slots.contribute?.()) ?? []);
}

/** All tools of a step, in an order that contributions do not change: those come last. */
function toolsOf({ agent, lentTools }: Run, contributions: readonly Contribution[]): readonly Tool[] {
  const own = [...agent.tools, ...agent.plugins.flatMap((plugin) => plugin.tools)];
  const lent = lentTools.filter((tool) => own.every((other) => other.name !== tool.name));
  const delegation = agent.subagents.length > 0 ? [delegationTool(agent.subagents)] : [];
  const added = contributions.flatMap((contribution) => contribution.tools);
  const tools = [...own, ...lent, ...delegation, ...added];
  assertUnique(tools, `Agent ${JSON.stringify(agent.name)}`);
  return tools;
}

/** The messages that the agent's compiler selects. */
export async function compileConversation(run: Run): Promise<readonly Message[]> {
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

/** Returns the same list for the same tools, so that it is hashed and written once. */
function describeTools(tools: readonly Tool[]): InferenceRequest['tools'] {
  const { tools: known } = lastDescribed;
  const isSame = known.length === tools.length && tools.every((tool, index) => tool === known[index]);
  if (isSame) return lastDescribed.list;
  const list = tools
    .filter(({ name }) => name !== anyName)
    .map((tool) => ({ name: tool.name, description: tool.description, inputSchema: inputSchemaOf(tool) }));
  lastDescribed = { tools, list };
  return list;
}

function systemPrompt(prompt: string, contributions: readonly Contribution[]): string {
  const instructions = contributions.map((contribution) => contribution.instructions);
  return [prompt, ...instructions].filter((text) => text !== '').join('\n\n');
}

const keptSystemMessages = 32;
/** Keyed by agent, because the lists of its next run continue those of the last. */
const systemMessages = new Map<string, { prompt: string; message: Message }>();

/** The system message, the same object for the same text. It is never stored, so its id only has to differ. */
function systemMessage(prompt: string, state: AgentState, run: Run): Message {
  const { agentId, createdAt } = state;
  const known = systemMessages.get(agentId);
  if (known?.prompt === prompt && known.message.createdAt === createdAt) return known.message;
  const message = system(prompt, { id: `system:${agentId}`, createdAt }, run.env);
  systemMessages.delete(agentId);
  systemMessages.set(agentId, { prompt, message });
  for (const oldest of systemMessages.keys()) {
    if (systemMessages.size <= keptSystemMessages) break;
    systemMessages.delete(oldest);
  }
  return message;
}

/** Puts the system message before a conversation; one that continues the last one continues the list too. */
const behind = memoize((first: Message) =>
  memoizeGrowing<Message, readonly Message[]>((before, conversation, from) =>
    growList(before ?? [first], conversation.slice(from)),
  ),
);

const hashOf = memoize((value: object): string => hashText(JSON.stringify(value)));
let lastPrompt = { text: '', hash: hashText('') };

function hashOfPrompt(prompt: string): string {
  if (lastPrompt.text !== prompt) lastPrompt = { text: prompt, hash: hashText(prompt) };
  return lastPrompt.hash;
}

/**
 * The content of a request by reference, and those of its texts that the state does not hold yet.
 * @param known The messages after the system prompt, when they are known as a list.
 * @param inferenceId Id of the call; a new one by default.
 */
export function sentOf(
  run: Run,
  request: InferenceRequest,
  known: readonly Message[] | null,
  inferenceId: string = run.env.id(),
): { sent: SentRequest; texts: { readonly [hash: string]: JsonValue } } {
  const state = stateOf(run);
  const isSystem = request.messages[0]?.role === 'system';
  const prompt = isSystem && request.messages[0] ? text(request.messages[0]) : '';
  const conversation = known ?? (isSystem ? request.messages.slice(1) : request.messages);
  const { ranges, extra, ...traces } = rangesOf(state, conversation);
  const { model, settings, toolChoice, tools, responseFormat } = request;
  const sent: SentRequest = {
    inferenceId,
    model,
    settings,
    toolChoice,
    prompt: hashOfPrompt(prompt),
    tools: hashOf(tools),
    responseFormat: responseFormat === null ? null : hashOf(responseFormat),
    messages: ranges,
    ...traces,
    extra,
    omitted: nothing,
  };
  const texts: Record<string, JsonValue> = {};
  const note = (hash: string, value: JsonValue): void => {
    if (!Object.hasOwn(state.texts, hash)) texts[hash] = value;
  };
  note(sent.prompt, prompt);
  note(sent.tools, tools as unknown as JsonValue);
  if (sent.responseFormat !== null) note(sent.responseFormat, responseFormat as unknown as JsonValue);
  return { sent, texts };
}
