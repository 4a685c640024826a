import { section, withSection } from '../../graph/message-store.ts';
import type { AgentState } from '../../graph/types.ts';
import { freeze } from '../../kit/freeze.ts';
import { pluginsAt } from './plugins-at.ts';
import { checkpointOf, type SessionTree } from './session-tree.ts';
import type { SessionCheckpoint } from '../stores/session-store.ts';

/**
 * What stood before a message of the active line. Of one without a checkpoint (a history that was given, a turn of long
 * ago) the messages before it are known.
 */
export function lineBefore(state: AgentState, tree: SessionTree, messageId: string): SessionCheckpoint {
  const known = checkpointOf(tree, messageId);
  if (known !== undefined) return known;
  const { store } = state.context;
  const said = section(store);
  const at = said.findIndex(({ id }) => id === messageId);
  const plugins = pluginsAt(state, tree, { messages: said, at });
  return { messageId, store: withSection(store, 'messages', said.slice(0, at)), plugins };
}

/** The state with what stood at a checkpoint in the place of its messages and plugins, and no run yet. */
export function stateAt(state: AgentState, { store, plugins }: SessionCheckpoint): AgentState {
  const cleared = withSection(store, 'execution_buffer', []);
  const context = { ...state.context, store: cleared };
  return freeze({ ...state, context, plugins, execution: null, texts: {}, retained: {} });
}
