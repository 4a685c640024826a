import type { AgentState } from '../../graph/types.ts';
import { newTurn } from './new-turn.ts';
import type { PausedRun } from './session-model.ts';
import { isWaiting } from './state-facts.ts';

/** The turn of a run that waits for a person in a loaded state; null when none waits. */
export function pausedIn(state: AgentState): PausedRun | null {
  if (!isWaiting(state)) return null;
  const turn = newTurn(state.execution?.executionId ?? state.agentId, 'send', 'awaiting-input');
  return { turn, options: {}, steered: [] };
}
