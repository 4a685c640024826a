import type { Plugin } from '../agent/plugin/plugin.ts';
import type { AgentState, PluginStates } from '../graph/types.ts';
import { memoize } from '../kit/memoize.ts';
import type { SessionTree } from './session-tree.ts';

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
export function treeWithoutTransient(tree: SessionTree, plugins: readonly Plugin[]): SessionTree {
  const ids = transientIds(plugins);
  if (ids.length === 0) return tree;
  const branches = once(tree.branches, (list) =>
    list.map((entry) => once(entry, (branch) => ({ ...branch, state: without(branch.state, ids) }))),
  );
  const checkpoints = once(tree.checkpoints, (list) => list.map((entry) => without(entry, ids)));
  return { branches, checkpoints };
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

/** Made once, so that what has not changed is seen to be the same. */
function once<Value extends object>(value: Value, make: (value: Value) => Value): Value {
  const known = stripped.get(value) as Value | undefined;
  const made = known ?? make(value);
  stripped.set(value, made);
  return made;
}
