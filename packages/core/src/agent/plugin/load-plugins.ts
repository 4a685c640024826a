import { type ErrorInfo, of as errorInfo } from '../../graph/error-info.ts';
import type { AgentState, PluginStateEntry } from '../../graph/types.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { equalJson, type JsonValue } from '../../kit/json.ts';
import { validateState, type Line, quarantineKey, setAside } from './plugin-entry.ts';
import type { Plugin } from './plugin.ts';

/** The change of one entry of `AgentState.plugins`; null removes it. */
export type PluginChange = { readonly pluginId: string; readonly entry: PluginStateEntry | null };

/** The changes that plugins need before a run, and the errors of quarantined state. */
export type LoadedPlugins = {
  readonly changes: readonly PluginChange[];
  readonly errors: readonly ErrorInfo[];
};

/**
 * Adapts stored plugin state to the loaded plugins, without changing the state itself. Older versions are migrated,
 * and everything is validated once. State that is newer, cannot be migrated or does not fit is quarantined unchanged
 * and reported. It returns once a plugin can read it; the state written in its place is then quarantined behind it.
 * Nothing is dropped, and state of unknown plugins stays as it is.
 */
export function loadPlugins(state: Pick<AgentState, 'plugins'>, plugins: readonly Plugin[]): LoadedPlugins {
  const loads = plugins.map((plugin) => loadPlugin(state, plugin));
  return { changes: loads.flatMap((load) => load.changes), errors: loads.flatMap((load) => load.errors) };
}

function loadPlugin({ plugins }: Pick<AgentState, 'plugins'>, plugin: Plugin): LoadedPlugins {
  const aside = setAside(plugins, plugin.id);
  const active = Object.hasOwn(plugins, plugin.id) ? plugins[plugin.id] : undefined;
  const current = active && { rank: freeRank(aside), entry: active };
  const lines = [...aside, ...(current ? [current] : [])].sort((a, b) => a.rank - b.rank);
  const reads = lines.map((line) => ({ line, read: readBy(plugin, line.entry) }));
  const chosen = reads.find(({ read }) => read.entry !== null);
  const changes: PluginChange[] = [];
  const errors: ErrorInfo[] = [];
  if (current && chosen?.line !== current) {
    changes.push({ pluginId: quarantineKey(plugin.id, current.rank), entry: current.entry });
    const failure = reads.find(({ line }) => line === current)?.read.error;
    errors.push(failure ?? errorInfo(displacedError(plugin, current.entry)));
    if (!chosen) changes.push({ pluginId: plugin.id, entry: null });
  }
  if (chosen && chosen.read.entry !== active) {
    changes.push({ pluginId: plugin.id, entry: chosen.read.entry });
    if (chosen.line !== current)
      changes.push({ pluginId: quarantineKey(plugin.id, chosen.line.rank), entry: null });
  }
  return { changes, errors };
}

/** The rank of the state in use, which no quarantined entry has. */
function freeRank(aside: readonly Line[]): number {
  let rank = 1;
  while (aside.some((line) => line.rank === rank)) rank++;
  return rank;
}

type Read =
  | { readonly entry: PluginStateEntry; readonly error: null }
  | { readonly entry: null; readonly error: ErrorInfo };

/** Entries that a plugin has validated before, by their data, so that a later run need not validate them again. */
const known = new WeakMap<
  object,
  { readonly plugin: Plugin; readonly version: number; readonly read: Read }
>();

function readBy(plugin: Plugin, entry: PluginStateEntry): Read {
  const { data, version } = entry;
  if (typeof data !== 'object' || data === null) return readAnew(plugin, entry);
  const hit = known.get(data);
  // A cached success uses the current entry, whose revision may differ.
  if (hit?.plugin === plugin && hit.version === version)
    return hit.read.error !== null || hit.read.entry.data !== data ? hit.read : { entry, error: null };
  const read = readAnew(plugin, entry);
  known.set(data, { plugin, version, read });
  return read;
}

function readAnew(plugin: Plugin, entry: PluginStateEntry): Read {
  try {
    const data = validateState(plugin, migrateEntry(plugin, entry));
    const isSame = entry.version === plugin.version && equalJson(data, entry.data);
    const read = isSame ? entry : { version: plugin.version, revision: entry.revision + 1, data };
    return { entry: read, error: null };
  } catch (thrown) {
    return { entry: null, error: errorInfo(thrown) };
  }
}

function migrateEntry(plugin: Plugin, entry: PluginStateEntry): JsonValue {
  if (entry.version > plugin.version) {
    const message = `State of plugin ${JSON.stringify(plugin.id)} has version ${entry.version}, newer than the plugin's ${plugin.version}. It is kept aside; update the plugin to use it.`;
    throw new AgentError('plugin-state-invalid', message, {
      data: { pluginId: plugin.id, version: entry.version },
    });
  }
  // A migration works on a copy, so that changes in place are undone when it fails.
  let data = entry.version === plugin.version ? entry.data : structuredClone(entry.data);
  for (let version = entry.version; version < plugin.version; version++) {
    const step = Object.hasOwn(plugin.migrate, version) ? plugin.migrate[version] : undefined;
    if (step === undefined) {
      const message = `State of plugin ${JSON.stringify(plugin.id)} has version ${entry.version} and there is no migration from ${version}. Add \`migrate: { ${version}: … }\`.`;
      throw new AgentError('plugin-state-invalid', message, { data: { pluginId: plugin.id, version } });
    }
    data = step(data);
  }
  return data;
}

function displacedError(plugin: Plugin, { version }: PluginStateEntry): AgentError {
  const message = `State of plugin ${JSON.stringify(plugin.id)} that version ${version} wrote is kept aside: the state that was there before it can be read again.`;
  return new AgentError('plugin-state-conflict', message, { data: { pluginId: plugin.id, version } });
}
