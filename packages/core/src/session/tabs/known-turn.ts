import type { AgentState } from '../../graph/types.ts';
import type { Turn } from '../agent-session.ts';
import { line, placesIn } from '../branches/line.ts';
import type { SessionModel } from '../machine/session-model.ts';

/** The turns that have not ended. */
export function openTurns({ run, paused, queue, moves, retry }: SessionModel): readonly Turn[] {
  const going = [run, paused].flatMap((entry) => (entry === null ? [] : [entry.turn, ...entry.steered]));
  const waiting = [...queue, ...moves, ...(retry === null ? [] : [retry])];
  return [...going, ...waiting.map(({ turn }) => turn)];
}

/** True when a command was taken already: its turn is there, or its message stands in a line. */
export function isKnown(model: SessionModel, state: AgentState, commandId: string): boolean {
  const lines = [state, ...model.tree.branches.map((branch) => branch.state)];
  return (
    openTurns(model).some(({ id }) => id === commandId) ||
    lines.some((said) => placesIn(line(said)).has(commandId))
  );
}
