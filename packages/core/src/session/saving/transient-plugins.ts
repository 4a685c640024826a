import type { Plugin } from '../../agent/plugin/plugin.ts';
import type { AgentState, PluginStates } from '../../graph/types.ts';
import { memoize } from '../../kit/memoize.ts';
import type { AgentChange } from '../../run/events.ts';
import type { SessionTree } from '../branches/session-tree.ts';

const none: readonly string[] = [];
const transientIds = memoize((plugins: readonly Plugin[]): readonly string[] => {
  const ids = plugins.filter((plugin) => plugin.persist === 'none').map((plugin) => plugin.id);
  return ids.length === 0 ? none : ids;
});
const stripped = new WeakMap<object, object>();

/** The state as it is saved: without the state of plugins that keep theirs for this page only. */
export function withoutTransientPlugins(state: AgentState, plugins: readonly Plugin[]): AgentState {
  return without(state, transientIds(plugins));
}

/** The same of all lines that were left, and of what stood before each turn. */
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

/** The list itself when nothing in it changes. */
function each<Entry>(list: readonly Entry[], make: (entry: Entry) => Entry): readonly Entry[] {
  return once(list, () => {
    const made = list.map(make);
    return made.every((entry, index) => entry === list[index]) ? list : made;
  });
}

/** Made once, so that what has not changed is seen to be the same. */
function once<Value extends object>(value: Value, make: (value: Value) => Value): Value {
  const known = stripped.get(value) as Value | undefined;
  const made = known ?? make(value);
  stripped.set(value, made);
  return made;
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
