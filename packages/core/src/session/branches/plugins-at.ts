import type { Message } from '../../graph/message.ts';
import type { AgentState, PluginStates } from '../../graph/types.ts';
import { checkpointOf, type SessionTree } from './session-tree.ts';

/**
 * What plugins held before a message of a line: what the last checkpoint before it says, since they wrote nothing between
 * checkpoints. Of turns that are older than all that was kept, what is known of the time after them.
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
