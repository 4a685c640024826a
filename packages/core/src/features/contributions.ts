import { inputSchemaOf, loadConverterForTools } from '../agent/json-schema-of.ts';
import * as PluginState from '../agent/plugin/plugin-state.ts';
import type { ContextItem, Plugin, Prepared } from '../agent/plugin/plugin.ts';
import type { Tool } from '../agent/tool.ts';
import { isToldContext } from '../graph/foreign-traces.ts';
import { section } from '../graph/message-store.ts';
import { type Message, system, text } from '../graph/message.ts';
import { toolResultText } from '../graph/tool-execution.ts';
import type { AgentState } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import { hashText } from '../kit/hash.ts';
import { isPlainObject, type JsonObject } from '../kit/json.ts';
import { growList, memoize, memoizeGrowing } from '../kit/memoize.ts';
import { toldFrom } from '../model/cache-borders.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { commit, stateOf, stepNumber, userCode } from '../run/run.ts';
import type { Feature, Run } from '../run/slots.ts';
import { stateChanges } from '../run/state-changes.ts';

/**
 * Asks the plugins of an agent before each call of its model. Their instructions and tools stand in front of the request;
 * what they know is told behind the conversation. A plugin that prepares brings this feature.
 */
export const contributions: Feature = (run) => {
  let given: readonly GivenItem[] = [];
  return {
    async contribute() {
      const prepared = await preparePlugins(run);
      given = prepared.flatMap(({ by, context }) => context.map((item) => ({ ...item, by })));
      const loading = loadConverterForTools(prepared.flatMap(({ tools }) => tools));
      if (loading !== null) await loading;
      return prepared.filter(addsAny).map((entry) => ({ ...entry, hash: hashOf(entry) }));
    },
    async aroundMessages(_run, compile) {
      let conversation = await compile(run);
      const message = untoldContext(run, given, conversation);
      if (message !== null) {
        commit(run, { type: 'message-add', source: 'context', section: toldSection(run), message });
        conversation = await compile(run);
      }
      // What a compiler of the application has left out is told for this one request.
      if (!isLeftOut(storedIn(run), conversation)) return conversation;
      const leftOut = messageOf(run, given, visibleTold(conversation).all);
      return leftOut === null ? conversation : growList(conversation, [leftOut]);
    },
    aroundModel: (call, next) => next({ ...call, wire: withContextPlaced(call.wire) }),
  };
};

type PreparedPlugin = Required<Prepared> & { readonly by: string };

async function preparePlugins(run: Run): Promise<readonly PreparedPlugin[]> {
  const all: PreparedPlugin[] = [];
  for (const plugin of run.agent.plugins) {
    if (plugin.prepare === null) continue;
    const { id: by, prepare } = plugin;
    const given: unknown = await userCode(run, `prepare of plugin ${JSON.stringify(by)}`, () =>
      prepare(prepareContext(run, plugin)),
    );
    const prepared = checkedPrepared(given, plugin);
    if (prepared !== null) all.push({ ...prepared, by });
  }
  return all;
}

function addsAny({ instructions, context, tools }: PreparedPlugin): boolean {
  return instructions !== '' || context.length > 0 || tools.length > 0;
}

function hashOf({ instructions, tools }: PreparedPlugin): string {
  return hashText(instructions + tools.map(hashOfTool).join());
}

const hashOfTool = memoize((tool: Tool): string =>
  hashText(JSON.stringify([tool.name, tool.description, inputSchemaOf(tool)])),
);

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

/**
 * Checks the contribution of a plugin's `prepare`, and marks its tools as the plugin's own; null for none.
 * @throws AgentError `hook-contract` for another shape, which would reach the model as `undefined` or not at all.
 */
function checkedPrepared(prepared: unknown, { id }: Plugin): Required<Prepared> | null {
  if (prepared === undefined || prepared === null) return null;
  if (!isPlainObject(prepared)) throw wrong(id, 'it gave something else');
  const { tools = null, context = null, instructions = null } = prepared;
  if (!isListOf(tools, ['name', 'description'])) throw wrong(id, 'its tools are no list of tools');
  if (!isListOf(context, ['name', 'content'])) throw wrong(id, 'its context is no list of { name, content }');
  if (instructions !== null && typeof instructions !== 'string')
    throw wrong(id, 'its instructions are no text');
  return {
    tools: ((tools ?? []) as readonly Tool[]).map((tool) => ownTool(tool, id)),
    context: (context ?? []) as NonNullable<Prepared['context']>,
    instructions: instructions ?? '',
  };
}

const ownTools = new WeakMap<Tool, Tool>();

/** A tool as the plugin's own. The same one in each step, so that its description is written and hashed once. */
function ownTool(tool: Tool, pluginId: string): Tool {
  const known = ownTools.get(tool);
  if (known?.pluginId === pluginId) return known;
  const own = { ...tool, pluginId };
  ownTools.set(tool, own);
  return own;
}

function isListOf(list: unknown, texts: readonly string[]): boolean {
  if (list === null) return true;
  if (!Array.isArray(list)) return false;
  return list.every(
    (entry: unknown) => isPlainObject(entry) && texts.every((key) => typeof entry[key] === 'string'),
  );
}

function wrong(id: string, what: string): AgentError {
  const message = `prepare of plugin ${JSON.stringify(id)} has to return { tools, context, instructions } or nothing; ${what}.`;
  return new AgentError('hook-contract', message, { data: { pluginId: id } });
}

/** A piece of knowledge and the plugin that gives it. */
type GivenItem = ContextItem & { readonly by: string };

/** The section of the message that tells what plugins know: that of the run's tool trace. */
function toldSection({ agent }: Run): string {
  return agent.toolTrace === 'separate' ? 'execution_buffer' : 'messages';
}

/**
 * The message that tells the model what it was not told yet: items that are new, changed or gone. Null when it knows
 * everything. What has been told stays in the conversation of the run as it was, so that a provider's cache can read
 * it; the message leaves with the tool trace.
 */
function untoldContext(
  run: Run,
  given: readonly GivenItem[],
  conversation: readonly Message[],
): Message | null {
  const stored = storedIn(run);
  const isHidden = stored.executionId === executionIdOf(run) && isLeftOut(stored, conversation);
  return messageOf(run, given, isHidden ? stored.own : visibleTold(conversation).all);
}

function storedIn(run: Run): ToldIn {
  return storedTold(section(stateOf(run).context.store, toldSection(run)));
}

function isLeftOut({ last }: ToldIn, conversation: readonly Message[]): boolean {
  return last !== visibleTold(conversation).last;
}

/** The names of what a model was told, with the hash of each text. */
type Told = ReadonlyMap<string, string>;

function messageOf(run: Run, given: readonly GivenItem[], told: Told): Message | null {
  if (given.length === 0 && told.size === 0) return null;
  const items = itemsByName(given);
  const context: (readonly [string, JsonObject])[] = [];
  const texts: string[] = [];
  for (const [name, { by, content }] of items) {
    const hash = hashText(content);
    const known = told.get(name);
    if (known === hash) continue;
    context.push([name, { by, hash }]);
    texts.push(
      `<context ${attributes(name, known === undefined ? null : 'replaces')}>\n${escape(content)}\n</context>`,
    );
  }
  for (const name of told.keys()) {
    if (items.has(name)) continue;
    context.push([name, { hash: null }]);
    texts.push(`<context ${attributes(name, 'removed')}/>`);
  }
  if (texts.length === 0) return null;
  const metadata = { context: Object.fromEntries(context), execution_id: executionIdOf(run), is_trace: true };
  return system(texts.join('\n'), { metadata }, run.env);
}

function itemsByName(given: readonly GivenItem[]): ReadonlyMap<string, GivenItem> {
  const items = new Map<string, GivenItem>();
  for (const item of given) {
    const before = items.get(item.name);
    const content = before === undefined ? item.content : `${before.content}\n\n${item.content}`;
    items.set(item.name, { ...(before ?? item), content });
  }
  return items;
}

function attributes(name: string, mark: string | null): string {
  const quoted = name.replace(/[&"<\n\r]/g, (sign) => `&#${sign.codePointAt(0)};`);
  return `name="${quoted}"${mark === null ? '' : ` ${mark}="true"`}`;
}

/** A text that can neither end its item nor begin another one. */
function escape(content: string): string {
  return content.replace(/<(?=\/?context\b)/gi, '&lt;');
}

function executionIdOf(run: Run): string {
  return stateOf(run).execution?.executionId ?? '';
}

/**
 * The request with what plugins told at the end of the message before it: no system message stands behind the prompt, and
 * nothing between a call and its result. What was sent once stays as it was, so that a provider's cache can read it.
 */
function withContextPlaced(request: InferenceRequest): InferenceRequest {
  return { ...request, messages: placedContext(request.messages).messages };
}

type Placed = { readonly messages: readonly Message[]; readonly isSame: boolean };

const placedContext = memoizeGrowing<Message, Placed>((before, messages, from) => {
  const fresh = messages.slice(from);
  // A list without anything told is not copied.
  if (before?.isSame !== false && !fresh.some(isToldContext)) return { messages, isSame: true };
  let kept = before?.messages ?? [];
  const added: Message[] = [];
  for (const message of fresh) {
    const place = added.at(-1) ?? kept.at(-1);
    if (!isToldContext(message)) added.push(message);
    else if (place?.role !== 'user' && place?.role !== 'tool') added.push({ ...message, role: 'user' });
    else {
      if (added.pop() === undefined) kept = kept.slice(0, -1);
      added.push(withBehind(place, message));
    }
  }
  return { messages: growList(kept, added), isSame: false };
});

const tellings = new WeakMap<Message, { readonly place: Message; readonly message: Message }>();

/** A message with what is told behind it; the same one for the same two, so that clients can cache. */
function withBehind(place: Message, told: Message): Message {
  const known = tellings.get(told);
  if (known?.place === place) return known.message;
  const result = place.parts.findLast((part) => part.type === 'tool-result');
  const parts =
    result === undefined
      ? [...place.parts, ...told.parts]
      : place.parts.map((part) =>
          part === result ? { ...result, output: `${toolResultText(result.output)}\n\n${text(told)}` } : part,
        );
  // A question of a person says where it ends, see the borders of a request.
  const own = { [toldFrom]: place.parts.length, ...place.metadata };
  const message = { ...place, parts, metadata: own };
  tellings.set(told, { place, message });
  return message;
}

type ToldIn = {
  /** Everything that the messages tell. */
  readonly all: Told;
  /** The part of the execution that told last. */
  readonly own: Told;
  readonly executionId: unknown;
  /** Id of the last message that tells something; null without one. */
  readonly last: string | null;
};

const nothingTold: ToldIn = { all: new Map(), own: new Map(), executionId: null, last: null };

function toldIn(before: ToldIn | null, messages: readonly Message[], from: number): ToldIn {
  return messages.slice(from).reduce<ToldIn>((told, message) => {
    if (!isToldContext(message)) return told;
    const executionId = message.metadata['execution_id'];
    const own = executionId === told.executionId ? told.own : nothingTold.own;
    return { all: withTold(told.all, message), own: withTold(own, message), executionId, last: message.id };
  }, before ?? nothingTold);
}

// Lists of two families, each with its own memory.
const storedTold = memoizeGrowing(toldIn);
const visibleTold = memoizeGrowing(toldIn);

function withTold(before: Told, { metadata }: Message): Told {
  const told = new Map(before);
  for (const [name, item] of Object.entries(metadata['context'] as JsonObject)) {
    const hash = isPlainObject(item) ? item['hash'] : null;
    if (typeof hash === 'string') told.set(name, hash);
    else told.delete(name);
  }
  return told;
}
