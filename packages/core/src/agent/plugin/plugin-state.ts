import { isDevelopment } from '../../kit/development.ts';
import { type Env, systemEnv } from '../../graph/env.ts';
import { equalJson } from '../../kit/equal-json.ts';
import type { JsonObject, JsonValue } from '../../kit/json.ts';
import { notJsonPath } from '../../kit/not-json-path.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { change } from '../../graph/agent-state/change.ts';
import type { AgentState } from '../../graph/types.ts';
import { describeIssues, parseSync } from '../schema.ts';
import type { PluginReference } from '../plugin-handle.ts';

const initials = new WeakMap<object, { value: unknown }>();

/** The plugin's state; its initial value, or undefined, before the first write. It was validated when written. */
export function get<State>(state: AgentState, plugin: PluginReference<State>): State | undefined {
  const entry = state.plugins[plugin.id];
  return entry === undefined ? initialOf(plugin) : (entry.data as State);
}

/**
 * The state with the plugin's state replaced; the same state when the value is equal to the present one.
 * @throws AgentError `plugin-state-invalid` with the schema's issues, or the path of what JSON cannot hold.
 */
export function set<State>(
  state: AgentState,
  plugin: PluginReference<State>,
  value: State,
  env: Env = systemEnv,
): AgentState {
  const data = validate(plugin, value);
  const entry = state.plugins[plugin.id];
  if (entry !== undefined && entry.version === plugin.version && equalJson(entry.data, data)) return state;
  const next = { version: plugin.version, revision: (entry?.revision ?? 0) + 1, data };
  return change(state, { plugins: { ...state.plugins, [plugin.id]: next } }, env);
}

/** Forgets the plugin's state; nothing else does. */
export function reset(state: AgentState, plugin: { readonly id: string }, env: Env = systemEnv): AgentState {
  if (!(plugin.id in state.plugins)) return state;
  const { [plugin.id]: _forgotten, ...others } = state.plugins;
  return change(state, { plugins: others }, env);
}

/** How often the plugin's state has really changed; 0 before the first write. */
export function revision(state: AgentState, plugin: { readonly id: string }): number {
  return state.plugins[plugin.id]?.revision ?? 0;
}

/** The value as the schema returns it. @throws AgentError `plugin-state-invalid` */
export function validate<State>(plugin: PluginReference<State>, value: unknown): JsonValue {
  const parsed = parseSync(plugin.state, value, 'plugin-state-invalid');
  if (!parsed.ok) throw invalid(plugin.id, describeIssues(parsed.issues), { issues: parsed.issues });
  const path = notJsonPath(parsed.value);
  if (path !== null)
    throw invalid(
      plugin.id,
      `${path || 'the value'} is not JSON; keep plain data and convert where you use it`,
      { path },
    );
  if (isDevelopment) assertIdempotent(plugin, parsed.value);
  return parsed.value as JsonValue;
}

/** State is parsed again when a session is loaded, so a schema whose output is not its own input would lose it there. */
function assertIdempotent<State>(plugin: PluginReference<State>, value: State): void {
  const again = parseSync(plugin.state, value, 'plugin-state-invalid');
  if (again.ok && equalJson(again.value as JsonValue, value as JsonValue)) return;
  throw invalid(
    plugin.id,
    'its schema changes its own output (a transform?), so a saved session could not be loaded',
    {},
  );
}

function initialOf<State>(plugin: PluginReference<State>): State | undefined {
  if (plugin.initial === null) return undefined;
  const hit = initials.get(plugin);
  if (hit) return hit.value as State;
  const value = validate(plugin, plugin.initial()) as State;
  initials.set(plugin, { value });
  return value;
}

function invalid(
  id: string,
  detail: string,
  data: JsonObject | { issues: readonly { path: string; message: string }[] },
): AgentError {
  return new AgentError(
    'plugin-state-invalid',
    `State of plugin ${JSON.stringify(id)} is invalid: ${detail}.`,
    {
      data: { pluginId: id, ...(data as JsonObject) },
    },
  );
}
