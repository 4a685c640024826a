import { type Env, systemEnv } from '../../graph/env.ts';
import type { JsonValue } from '../../kit/json.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import { change } from '../../graph/agent-state/change.ts';
import type { AgentState, PluginStateEntry } from '../../graph/types.ts';
import { validate } from './plugin-state.ts';
import type { Plugin } from './plugin.ts';

/** Under this key stands what could not be loaded, untouched. */
export function quarantineKey(pluginId: string): string {
  return `quarantine:${pluginId}`;
}

/**
 * Makes stored plugin state fit the plugins at hand: older versions are migrated, everything is validated once.
 * What does not fit is set aside under its quarantine key and reported; state of unknown plugins stays as it is.
 */
export function loadPlugins(
  state: AgentState,
  plugins: readonly Plugin[],
  env: Env = systemEnv,
): { state: AgentState; problems: readonly ErrorInfo[] } {
  const problems: ErrorInfo[] = [];
  const entries: Record<string, PluginStateEntry> = { ...state.plugins };
  let isChanged = false;
  for (const plugin of plugins) {
    const entry = entries[plugin.id];
    if (entry === undefined || trusted.get(entry) === plugin) continue;
    try {
      const loaded = load(plugin, entry);
      trusted.set(loaded, plugin);
      isChanged ||= loaded !== entry;
      entries[plugin.id] = loaded;
    } catch (thrown) {
      problems.push(errorInfo(thrown));
      entries[quarantineKey(plugin.id)] = entry;
      delete entries[plugin.id];
      isChanged = true;
    }
  }
  return { state: isChanged ? change(state, { plugins: entries }, env) : state, problems };
}

/** Entries that this plugin has accepted already: a later run of the same session need not parse them again. */
const trusted = new WeakMap<PluginStateEntry, Plugin>();

function load(plugin: Plugin, entry: PluginStateEntry): PluginStateEntry {
  if (entry.version > plugin.version) {
    throw new AgentError(
      'plugin-state-invalid',
      `State of plugin ${JSON.stringify(plugin.id)} has version ${entry.version}, newer than the plugin's ${plugin.version}. It is kept aside; update the plugin to use it.`,
      { data: { pluginId: plugin.id, version: entry.version } },
    );
  }
  const data = validate(plugin, migrated(plugin, entry));
  const isSame = entry.version === plugin.version && JSON.stringify(data) === JSON.stringify(entry.data);
  return isSame ? entry : { version: plugin.version, revision: entry.revision + 1, data };
}

function migrated(plugin: Plugin, entry: PluginStateEntry): JsonValue {
  let { data } = entry;
  for (let version = entry.version; version < plugin.version; version++) {
    const step = plugin.migrate[version];
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
