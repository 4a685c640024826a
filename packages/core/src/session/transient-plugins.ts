import type { Plugin } from '../agent/plugin/plugin.ts';
import type { AgentState, PluginStates } from '../graph/types.ts';
import { memoize } from '../kit/memoize.ts';

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
