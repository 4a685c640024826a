import * as PluginState from '../agent/plugin/plugin-state.ts';
import type { Plugin, Prepared } from '../agent/plugin/plugin.ts';
import { inputSchemaOf, loadConverterForTools } from '../agent/json-schema-of.ts';
import type { Tool } from '../agent/tool.ts';
import type { AgentState } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import { hashText } from '../kit/hash.ts';
import { isPlainObject } from '../kit/json.ts';
import { growList, memoize } from '../kit/memoize.ts';
import { commit, stateOf, stepNumber, userCode } from '../run/run.ts';
import type { Feature, Run } from '../run/slots.ts';
import { stateChanges } from '../run/state-changes.ts';
import {
  type GivenItem,
  leftOutContext,
  toldSection,
  untoldContext,
  withContextPlaced,
} from './told-context.ts';

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
      // A compiler of the application may leave it out.
      const leftOut = leftOutContext(run, given, conversation);
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
