import type { Plugin } from '../../agent/plugin/plugin.ts';
import type { AgentState, PluginStates } from '../../graph/types.ts';
import { memoize } from '../../kit/memoize.ts';
import type { AgentChange } from '../../run/events.ts';

const none: readonly string[] = [];
const transientIds = memoize((plugins: readonly Plugin[]): readonly string[] => {
  const ids = plugins.filter((plugin) => plugin.persist === 'none').map((plugin) => plugin.id);
  return ids.length === 0 ? none : ids;
});
const stripped = new WeakMap<AgentState, AgentState>();

/** The state as it is saved: without the state of plugins that keep theirs for this page only. */
export function withoutTransientPlugins(state: AgentState, plugins: readonly Plugin[]): AgentState {
  const ids = transientIds(plugins);
  if (!ids.some((id) => id in state.plugins)) return state;
  const known = stripped.get(state);
  if (known) return known;
  const kept: PluginStates = Object.fromEntries(
    Object.entries(state.plugins).filter(([id]) => !ids.includes(id)),
  );
  const next = { ...state, plugins: kept };
  stripped.set(state, next);
  return next;
}

/** An event as it is saved: what it says of such plugins is left out, its number is kept, so that there is no gap. */
export function withoutTransientWrites(event: AgentChange, plugins: readonly Plugin[]): AgentChange {
  const ids = transientIds(plugins);
  if (ids.length === 0) return event;
  if (event.type === 'plugin-change' && ids.includes(event.pluginId))
    return { ...event, version: 0, data: null, isForgotten: true };
  if (event.type !== 'tool-end' || !event.pluginWrites.some(({ pluginId }) => ids.includes(pluginId)))
    return event;
  return { ...event, pluginWrites: event.pluginWrites.filter(({ pluginId }) => !ids.includes(pluginId)) };
}
