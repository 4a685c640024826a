import type { AgentState } from '../../graph/types.ts';
import type { Turn } from '../agent-session.ts';
import { branchMessages, placesIn } from '../branches/branch-messages.ts';
import type { SessionModel } from '../machine/session-model.ts';

/** The turns that have not ended. */
export function openTurns({ run, conflict, paused, queue, moves, retry }: SessionModel): readonly Turn[] {
  const going = [run, conflict?.run ?? null, paused].flatMap((entry) =>
    entry === null ? [] : [entry.turn, ...entry.steered],
  );
  const waiting = [...queue, ...moves, ...(retry === null ? [] : [retry])];
  return [...going, ...waiting.map(({ turn }) => turn)];
}

/** True when a command was taken before: its turn is open, or its message is on a branch. */
export function isKnown(model: SessionModel, state: AgentState, commandId: string): boolean {
  const lines = [state, ...model.tree.branches.map((branch) => branch.state)];
  return (
    openTurns(model).some(({ id }) => id === commandId) ||
    lines.some((said) => placesIn(branchMessages(said)).has(commandId))
  );
}
