import { type Env, systemEnv } from '../../graph/env.ts';
import { change } from '../../graph/agent-state/transitions.ts';
import type { AgentState } from '../../graph/types.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { shownShape } from '../../kit/text.ts';
import type { PluginReference } from '../plugin-handle.ts';
import { entryOf, freezeData, isCurrent, quarantineKey, setAside, validateState } from './plugin-entry.ts';

/**
 * The plugin's state, or its initial value (else undefined) before the first write. It was validated when it was
 * written, and is the same frozen reference until it changes.
 */
export function get<State>(state: AgentState, plugin: PluginReference<State>): State | undefined {
  assertPlugin(plugin, 'get');
  const entry = entryOf(state, plugin.id);
  return entry === undefined ? initialOf(plugin) : (freezeData(entry.data) as State);
}

/**
 * The state with the plugin's state replaced by a copy of the value; the same state when the value is equal.
 * @throws AgentError `plugin-state-invalid` with the schema's issues, or the path of a value that JSON cannot hold;
 * `plugin-unknown` for anything but a plugin, such as its id.
 */
export function set<State>(
  state: AgentState,
  plugin: PluginReference<State>,
  value: State,
  env: Env = systemEnv,
): AgentState {
  assertPlugin(plugin, 'set');
  const data = validateState(plugin, value);
  if (isCurrent(state, plugin, data)) return state;
  const next = { version: plugin.version, revision: revision(state, plugin) + 1, data };
  return change(state, { plugins: { ...state.plugins, [plugin.id]: next } }, env);
}

/** Removes the plugin's state with all its quarantined versions; nothing else removes those. */
export function reset(state: AgentState, plugin: { readonly id: string }, env: Env = systemEnv): AgentState {
  const { id } = plugin;
  const keys = new Set([id, ...setAside(state.plugins, id).map(({ rank }) => quarantineKey(id, rank))]);
  const kept = Object.entries(state.plugins).filter(([key]) => !keys.has(key));
  if (kept.length === Object.keys(state.plugins).length) return state;
  return change(state, { plugins: Object.fromEntries(kept) }, env);
}

/** Number of real changes of the plugin's state; 0 before the first write. */
export function revision(state: AgentState, plugin: { readonly id: string }): number {
  return entryOf(state, plugin.id)?.revision ?? 0;
}

/** An id would do to find the state, but not to check it. */
function assertPlugin(plugin: unknown, what: 'get' | 'set'): void {
  if (typeof plugin === 'object' && plugin !== null && 'state' in plugin) return;
  const message = `PluginState.${what} got ${shownShape(plugin)} in place of a plugin. Give it what definePlugin returned, not its id.`;
  throw new AgentError('plugin-unknown', message);
}

const initials = new WeakMap<object, { readonly value: unknown }>();

function initialOf<State>(plugin: PluginReference<State>): State | undefined {
  if (plugin.initial === null) return undefined;
  const hit = initials.get(plugin);
  if (hit) return hit.value as State;
  const value = freezeData(validateState(plugin, plugin.initial()));
  initials.set(plugin, { value });
  return value as State;
}
