import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import type { AgentState, PluginStateEntry } from '../../graph/types.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { equalJson } from '../../kit/equal-json.ts';
import type { JsonValue } from '../../kit/json.ts';
import { validate } from './plugin-state.ts';
import { type Line, quarantineKey, setAside } from './quarantine.ts';
import type { Plugin } from './plugin.ts';

/** What becomes of one entry of `AgentState.plugins`; null takes it away. */
export type PluginChange = { readonly pluginId: string; readonly entry: PluginStateEntry | null };

/** What has to change before the plugins can work, and what was set aside and why. */
export type LoadedPlugins = {
  readonly changes: readonly PluginChange[];
  readonly problems: readonly ErrorInfo[];
};

/**
 * Makes stored plugin state fit the plugins at hand, without changing the state itself. Older versions are migrated and
 * everything is validated once. What is newer than its plugin, cannot be migrated or does not fit is set aside untouched
 * and reported; as soon as a plugin comes that can read it, it returns, and what was written in its place meanwhile is
 * set aside in its turn, behind it. Nothing is ever dropped; state of unknown plugins stays as it is.
 */
export function loadPlugins(state: Pick<AgentState, 'plugins'>, plugins: readonly Plugin[]): LoadedPlugins {
  const loads = plugins.map((plugin) => loadPlugin(state, plugin));
  return {
    changes: loads.flatMap((load) => load.changes),
    problems: loads.flatMap((load) => load.problems),
  };
}

function loadPlugin({ plugins }: Pick<AgentState, 'plugins'>, plugin: Plugin): LoadedPlugins {
  const aside = setAside(plugins, plugin.id);
  const active = Object.hasOwn(plugins, plugin.id) ? plugins[plugin.id] : undefined;
  const current = active && { rank: freeRank(aside), entry: active };
  const lines = (current ? [...aside, current] : aside).toSorted((a, b) => a.rank - b.rank);
  const reads = lines.map((line) => ({ line, read: readBy(plugin, line.entry) }));
  const chosen = reads.find(({ read }) => read.entry !== null);
  const changes: PluginChange[] = [];
  const problems: ErrorInfo[] = [];
  if (current && chosen?.line !== current) {
    changes.push({ pluginId: quarantineKey(plugin.id, current.rank), entry: current.entry });
    const failure = reads.find(({ line }) => line === current)?.read.error;
    problems.push(failure ?? errorInfo(displaced(plugin, current.entry)));
    if (!chosen) changes.push({ pluginId: plugin.id, entry: null });
  }
  if (chosen && chosen.read.entry !== active) {
    changes.push({ pluginId: plugin.id, entry: chosen.read.entry });
    if (chosen.line !== current)
      changes.push({ pluginId: quarantineKey(plugin.id, chosen.line.rank), entry: null });
  }
  return { changes, problems };
}

/** The rank of the state in use is the one that nothing set aside has. */
function freeRank(aside: readonly Line[]): number {
  let rank = 1;
  while (aside.some((line) => line.rank === rank)) rank++;
  return rank;
}

type Read =
  | { readonly entry: PluginStateEntry; readonly error: null }
  | { readonly entry: null; readonly error: ErrorInfo };

/** What a plugin has read already, by the data: a later run of the same session need not parse it again. */
const known = new WeakMap<
  object,
  { readonly plugin: Plugin; readonly version: number; readonly read: Read }
>();

function readBy(plugin: Plugin, entry: PluginStateEntry): Read {
  const { data, version } = entry;
  if (typeof data !== 'object' || data === null) return readAnew(plugin, entry);
  const hit = known.get(data);
  // What fits as it stands is answered with the entry at hand, whose revision may be another.
  if (hit?.plugin === plugin && hit.version === version)
    return hit.read.error !== null || hit.read.entry.data !== data ? hit.read : { entry, error: null };
  const read = readAnew(plugin, entry);
  known.set(data, { plugin, version, read });
  return read;
}

function readAnew(plugin: Plugin, entry: PluginStateEntry): Read {
  try {
    const data = validate(plugin, migrated(plugin, entry));
    const isSame = entry.version === plugin.version && equalJson(data, entry.data);
    const read = isSame ? entry : { version: plugin.version, revision: entry.revision + 1, data };
    return { entry: read, error: null };
  } catch (thrown) {
    return { entry: null, error: errorInfo(thrown) };
  }
}

function migrated(plugin: Plugin, entry: PluginStateEntry): JsonValue {
  if (entry.version > plugin.version) {
    throw new AgentError(
      'plugin-state-invalid',
      `State of plugin ${JSON.stringify(plugin.id)} has version ${entry.version}, newer than the plugin's ${plugin.version}. It is kept aside; update the plugin to use it.`,
      { data: { pluginId: plugin.id, version: entry.version } },
    );
  }
  // A migration works on a copy: what it changes in place must not be lost when it fails.
  let data = entry.version === plugin.version ? entry.data : structuredClone(entry.data);
  for (let version = entry.version; version < plugin.version; version++) {
    const step = Object.hasOwn(plugin.migrate, version) ? plugin.migrate[version] : undefined;
    if (step === undefined) {
      throw new AgentError(
        'plugin-state-invalid',
        `State of plugin ${JSON.stringify(plugin.id)} has version ${entry.version} and there is no migration from ${version}. Add \`migrate: { ${version}: … }\`.`,
        { data: { pluginId: plugin.id, version } },
      );
    }
    data = step(data);
  }
  return data;
}

function displaced(plugin: Plugin, { version }: PluginStateEntry): AgentError {
  return new AgentError(
    'plugin-state-conflict',
    `State of plugin ${JSON.stringify(plugin.id)} that version ${version} wrote is kept aside: the state that was there before it can be read again.`,
    { data: { pluginId: plugin.id, version } },
  );
}
