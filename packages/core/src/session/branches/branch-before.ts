import { section, withSection } from '../../graph/message-store.ts';
import { spentWithoutExecution } from '../../graph/limits.ts';
import type { AgentState } from '../../graph/types.ts';
import { freeze } from '../../kit/freeze.ts';
import { pluginsAt } from './plugins-at.ts';
import { checkpointOf, type SessionTree } from './session-tree.ts';
import type { SessionCheckpoint } from '../stores/session-store.ts';

/**
 * Returns the state before a message of the active branch.
 * Without a checkpoint (a given history or an old turn) it is made from the messages before it.
 */
export function branchBefore(state: AgentState, tree: SessionTree, messageId: string): SessionCheckpoint {
  const known = checkpointOf(tree, messageId);
  if (known !== undefined) return known;
  const { store } = state.context;
  const said = section(store);
  const at = said.findIndex(({ id }) => id === messageId);
  const plugins = pluginsAt(state, tree, { messages: said, at });
  return { messageId, store: withSection(store, 'messages', said.slice(0, at)), plugins };
}

/** Returns the state at a checkpoint: its messages and plugins, and no run yet. */
export function stateAt(state: AgentState, { store, plugins }: SessionCheckpoint): AgentState {
  const cleared = withSection(store, 'execution_buffer', []);
  const context = { ...state.context, store: cleared };
  const spentBefore = spentWithoutExecution(state);
  return freeze({ ...state, context, plugins, execution: null, spentBefore, texts: {}, retained: {} });
}
