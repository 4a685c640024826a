import { section, withSection } from '../../graph/message-store.ts';
import { fieldsWithoutRun } from '../../graph/agent-state/transitions.ts';
import type { AgentState, PluginStates } from '../../graph/types.ts';
import { freeze } from '../../kit/freeze.ts';
import { checkpointOf, type SessionTree } from './session-tree.ts';
import type { SessionCheckpoint } from '../store/session-store.ts';
import type { Message } from '../../graph/message.ts';

/** The state before a message: its checkpoint, or one made of the messages before it. */
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
export function stateAtCheckpoint(state: AgentState, { store, plugins }: SessionCheckpoint): AgentState {
  const cleared = withSection(store, 'execution_buffer', []);
  const context = { ...state.context, store: cleared };
  return freeze({ ...state, context, plugins, ...fieldsWithoutRun(state) });
}

/**
 * Returns the plugin states before a message, from the last checkpoint before it; plugins wrote nothing between
 * checkpoints. For turns older than all checkpoints it is the earliest state known after them.
 */
export function pluginsAt(
  state: AgentState,
  tree: SessionTree,
  { messages, at }: { readonly messages: readonly Message[]; readonly at: number },
): PluginStates {
  const pluginsOf = (message: Message): PluginStates | undefined => checkpointOf(tree, message.id)?.plugins;
  if (at >= messages.length || tree.checkpoints.length === 0) return state.plugins;
  for (let place = at; place >= 0; place--) {
    const found = pluginsOf(messages[place] as Message);
    if (found !== undefined) return found;
  }
  const later = messages.slice(at).find((message) => pluginsOf(message) !== undefined);
  return (later && pluginsOf(later)) ?? state.plugins;
}
