import { section, withSection } from '../graph/message-store.ts';
import type { AgentState } from '../graph/types.ts';
import { freeze } from '../kit/freeze.ts';
import { checkpointOf, type SessionTree } from './session-tree.ts';
import type { SessionCheckpoint } from './stores/session-store.ts';

/**
 * What stood before a message of the active line. Of one that no turn began with (a history that was given) the messages
 * before it are known, and plugin state is taken as it is.
 */
export function lineBefore(state: AgentState, tree: SessionTree, messageId: string): SessionCheckpoint {
  const known = checkpointOf(tree, messageId);
  if (known !== undefined) return known;
  const { store } = state.context;
  const said = section(store);
  const at = said.findIndex(({ id }) => id === messageId);
  return { messageId, store: withSection(store, 'messages', said.slice(0, at)), plugins: state.plugins };
}

/** The state with what stood at a checkpoint in the place of its messages and plugins, and no run yet. */
export function stateAt(state: AgentState, { store, plugins }: SessionCheckpoint): AgentState {
  const cleared = withSection(store, 'execution_buffer', []);
  const context = { ...state.context, store: cleared };
  return freeze({ ...state, context, plugins, execution: null, texts: {}, retained: {} });
}
