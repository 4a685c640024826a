import { isDevelopment } from '../../kit/freeze.ts';
import { equalJson, type JsonObject, type JsonValue, copyJson } from '../../kit/json.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { AgentState, PluginStateEntry, PluginStates } from '../../graph/types.ts';
import { describeIssues, namedIssues, parseSync } from '../schema.ts';
import type { PluginReference } from '../plugin-handle.ts';

declare const process: { env: { NODE_ENV?: string } };

/** True when the state holds equal data, written by this version of the plugin. */
export function isCurrent(
  state: AgentState,
  plugin: { readonly id: string; readonly version: number },
  data: JsonValue,
): boolean {
  const entry = entryOf(state, plugin.id);
  return entry !== undefined && entry.version === plugin.version && equalJson(entry.data, data);
}

/** A copy of the value as the schema returns it. @throws AgentError `plugin-state-invalid` */
export function validateState<State>(plugin: PluginReference<State>, value: unknown): JsonValue {
  const parsed = parseSync(plugin.state, value, 'plugin-state-invalid');
  if (!parsed.ok)
    throw invalid(plugin.id, describeIssues(parsed.issues), { issues: namedIssues(parsed.issues) });
  const data = plainStateOf(plugin.id, parsed.value);
  // The expression itself, so that a bundler leaves the check out of a production build.
  if (isDevelopment && process.env.NODE_ENV !== 'production') assertIdempotent(plugin, data);
  return data;
}

/**
 * A copy of a plugin's state, without undefined properties.
 * @throws AgentError `plugin-state-invalid`, with the path of what JSON cannot hold, or of a value too deep.
 */
export function plainStateOf(id: string, value: unknown): JsonValue {
  const refuse = (path: string): AgentError =>
    invalid(id, `${path || 'the value'} is not JSON; keep plain data and convert where you use it`, { path });
  return copyJson(value as JsonValue, { maxDepth, refuse });
}

/** Checks that the schema accepts its own output: a loaded session is parsed again, and would lose it. */
function assertIdempotent<State>(plugin: PluginReference<State>, data: JsonValue): void {
  const again = parseSync(plugin.state, data, 'plugin-state-invalid');
  if (again.ok && equalJson(plainStateOf(plugin.id, again.value), data)) return;
  const message = 'its schema changes its own output (a transform?), so a saved session could not be loaded';
  throw invalid(plugin.id, message, {});
}

/** Ids are arbitrary texts, so only own properties count. */
export function entryOf(state: AgentState, id: string): PluginStateEntry | undefined {
  return Object.hasOwn(state.plugins, id) ? state.plugins[id] : undefined;
}

const isFrozen = new WeakSet<object>();

/**
 * Freezes the data in place, once, in production too: readers share the reference, and a tool that changed it would
 * change the history of the session. This is cheaper than a copy for each reader.
 */
export function freezeData(data: JsonValue): JsonValue {
  if (typeof data !== 'object' || data === null || isFrozen.has(data)) return data;
  const open: unknown[] = [data];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    for (const child of Object.values(next)) open.push(child);
  }
  isFrozen.add(data);
  return data;
}

function invalid(
  id: string,
  detail: string,
  data: JsonObject | { issues: readonly { path: string; message: string }[] },
): AgentError {
  const message = `State of plugin ${JSON.stringify(id)} is invalid: ${detail}.`;
  return new AgentError('plugin-state-invalid', message, { data: { pluginId: id, ...(data as JsonObject) } });
}

/** The key of quarantined state, one for each version that could not read it. Rank 1 returns first. */
export function quarantineKey(pluginId: string, rank = 1): string {
  return rank === 1 ? `quarantine:${pluginId}` : `vitrine:quarantine:${rank}:${pluginId}`;
}

/** A state of a plugin, and its rank in the quarantine. */
export type Line = { readonly rank: number; readonly entry: PluginStateEntry };

export function setAside(plugins: PluginStates, pluginId: string): Line[] {
  const suffix = `:${pluginId}`;
  return Object.entries(plugins).flatMap(([key, entry]) => {
    if (!key.endsWith(suffix)) return [];
    const rank = key === quarantineKey(pluginId) ? 1 : Number(key.split(':', 3)[2]);
    return Number.isInteger(rank) && key === quarantineKey(pluginId, rank) ? [{ rank, entry }] : [];
  });
}

/** Depth limit of data, because a session with deeper data could not be read back everywhere. */
const maxDepth = 100;
