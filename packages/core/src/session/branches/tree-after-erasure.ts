import { withChangesFollowed } from '../../graph/follow-changes.ts';
import type { Message } from '../../graph/message.ts';
import type { MessageStore } from '../../graph/message-store.ts';
import type { AgentState } from '../../graph/types.ts';
import { freeze } from '../../kit/freeze.ts';
import { mapSame } from '../../kit/memoize.ts';
import type { SessionTree } from './session-tree.ts';

/**
 * Returns the tree after texts were removed from the active branch.
 * Other branches and checkpoints hold these messages as the active branch does, or not at all.
 */
export function treeAfterErasure(
  tree: SessionTree,
  { ids, state }: { readonly ids: readonly string[]; readonly state: AgentState },
): SessionTree {
  const erased = new Set(ids);
  const standing = new Map<string, Message>();
  for (const { messages } of state.context.store.sections)
    for (const message of messages) if (erased.has(message.id)) standing.set(message.id, message);

  function storeOf(store: MessageStore): MessageStore {
    const sections = each(store.sections, (section) => {
      const messages = each(section.messages, (message) =>
        erased.has(message.id) ? (standing.get(message.id) ?? null) : message,
      );
      return messages === section.messages ? section : { ...section, messages };
    });
    return sections === store.sections ? store : { sections };
  }

  const branches = each(tree.branches, (branch) => {
    const store = storeOf(branch.state.context.store);
    const moved = { ...branch.state, context: { ...branch.state.context, store } };
    const fields = withChangesFollowed(moved, { changed: erased, erased });
    const { execution, retained } = branch.state;
    const isSame = fields.execution === execution && fields.retained === retained;
    if (isSame && store === branch.state.context.store) return branch;
    return freeze({ ...branch, state: { ...moved, ...fields } });
  });
  const checkpoints = each(tree.checkpoints, (checkpoint) => {
    const store = storeOf(checkpoint.store);
    return store === checkpoint.store ? checkpoint : freeze({ ...checkpoint, store });
  });
  return branches === tree.branches && checkpoints === tree.checkpoints ? tree : { branches, checkpoints };
}

/** Maps a list and drops null; returns the same list when nothing changed. */
function each<Item>(list: readonly Item[], update: (item: Item) => Item | null): readonly Item[] {
  const updated = mapSame<Item | null>(list, (item) => item && update(item));
  return updated === list ? list : updated.filter((item) => item !== null);
}
