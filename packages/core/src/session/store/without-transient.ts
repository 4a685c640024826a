import type { Plugin } from '../../agent/plugin/plugin.ts';
import type { AgentState, PluginStates } from '../../graph/types.ts';
import { mapSame, memoize } from '../../kit/memoize.ts';
import type { AgentChange } from '../../run/events.ts';
import type { SessionRecord } from './session-store.ts';

type SessionTree = Pick<SessionRecord, 'branches' | 'checkpoints'>;

const none: readonly string[] = [];
const transientIds = memoize((plugins: readonly Plugin[]): readonly string[] => {
  const ids = plugins.filter((plugin) => plugin.persist === 'none').map((plugin) => plugin.id);
  return ids.length === 0 ? none : ids;
});
const stripped = new WeakMap<object, object>();

/** The state as it is saved: without the state of plugins with `persist: 'none'`. */
export function withoutTransientPlugins(state: AgentState, plugins: readonly Plugin[]): AgentState {
  return without(state, transientIds(plugins));
}

/** The branches and checkpoints as they are saved, without the state of such plugins. */
export function treeWithoutTransient(
  { branches, checkpoints }: SessionTree,
  plugins: readonly Plugin[],
): SessionTree {
  const ids = transientIds(plugins);
  return {
    branches: each(branches, (branch) => {
      const state = without(branch.state, ids);
      return state === branch.state ? branch : { ...branch, state };
    }),
    checkpoints: each(checkpoints, (checkpoint) => without(checkpoint, ids)),
  };
}

function without<Holder extends { readonly plugins: PluginStates }>(
  holder: Holder,
  ids: readonly string[],
): Holder {
  if (!ids.some((id) => id in holder.plugins)) return holder;
  return once(holder, ({ plugins }) => {
    const kept = Object.fromEntries(Object.entries(plugins).filter(([id]) => !ids.includes(id)));
    return { ...holder, plugins: kept };
  });
}

/** Maps a list; returns the list itself when nothing in it changes. */
function each<Entry>(list: readonly Entry[], make: (entry: Entry) => Entry): readonly Entry[] {
  return once(list, () => mapSame(list, make));
}

/** Memoizes the result by its input, so that an unchanged value keeps its reference. */
function once<Value extends object>(value: Value, make: (value: Value) => Value): Value {
  const known = stripped.get(value) as Value | undefined;
  const made = known ?? make(value);
  stripped.set(value, made);
  return made;
}

/** The event as it is saved: without writes of such plugins. Its number stays, so that no gap appears. */
export function withoutTransientWrites(event: AgentChange, plugins: readonly Plugin[]): AgentChange {
  const ids = transientIds(plugins);
  if (ids.length === 0) return event;
  if (event.type === 'plugin-change' && ids.includes(event.pluginId))
    return { ...event, version: 0, data: null, isForgotten: true };
  if (event.type !== 'tool-end' || !event.pluginWrites.some(({ pluginId }) => ids.includes(pluginId)))
    return event;
  return { ...event, pluginWrites: event.pluginWrites.filter(({ pluginId }) => !ids.includes(pluginId)) };
}
