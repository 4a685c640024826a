import type { AgentState } from '../../graph/types.ts';
import { branchMessages, placesIn } from '../branches/branch-messages.ts';
import { openTurns, type SessionModel } from '../machine/session-model.ts';

/** True when a command was taken before: its turn is open, or its message is on a branch. */
export function isKnown(model: SessionModel, state: AgentState, commandId: string): boolean {
  const lines = [state, ...model.tree.branches.map((branch) => branch.state)];
  return (
    openTurns(model).some(({ id }) => id === commandId) ||
    lines.some((said) => placesIn(branchMessages(said)).has(commandId))
  );
}
