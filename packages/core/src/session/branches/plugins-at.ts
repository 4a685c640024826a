import type { Message } from '../../graph/message.ts';
import type { AgentState, PluginStates } from '../../graph/types.ts';
import { checkpointOf, type SessionTree } from './session-tree.ts';

/**
 * Returns the plugin states before a message, from the last checkpoint before it; plugins wrote nothing
 * between checkpoints.
 * For turns older than all checkpoints it is the earliest state known after them.
 */
export function pluginsAt(
  state: AgentState,
  tree: SessionTree,
  { messages, at }: { readonly messages: readonly Message[]; readonly at: number },
): PluginStates {
  const known = (message: Message): PluginStates | undefined => checkpointOf(tree, message.id)?.plugins;
  if (at >= messages.length || tree.checkpoints.length === 0) return state.plugins;
  for (let place = at; place >= 0; place--) {
    const found = known(messages[place] as Message);
    if (found !== undefined) return found;
  }
  const later = messages.slice(at).find((message) => known(message) !== undefined);
  return (later && known(later)) ?? state.plugins;
}
