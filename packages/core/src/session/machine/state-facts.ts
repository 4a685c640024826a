import {
  breakHits,
  currentStep,
  messages,
  pendingApprovals,
  status,
} from '../../graph/agent-state/accessors.ts';
import { placeOf } from '../../graph/messages-by-id.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';

/** True for a run that began and has not finished, whichever page continues it. */
export function isOpen(state: AgentState): boolean {
  return status(state) === 'in-progress';
}

/** True for a run with a call that waits for a person, or with an agent at a breakpoint. */
export function waitsForPerson(state: AgentState): boolean {
  return isOpen(state) && (pendingApprovals(state).length > 0 || breakHits(state).length > 0);
}

/** The id of the turn of an open run. A run that began without a turn has the id of its execution. */
export function openTurnId({ execution, agentId }: AgentState): string {
  return execution?.turnId ?? execution?.executionId ?? agentId;
}

/** True for a message that the open run answers: that of its turn, and every one that it took in since. */
export function isOfOpenTurn(state: AgentState, messageId: string): boolean {
  if (!isOpen(state)) return false;
  const id = openTurnId(state);
  if (id === messageId) return true;
  const said = messages(state);
  const from = placeOf(said, id);
  return from >= 0 && placeOf(said, messageId) > from;
}

/** True for a message that has an answer, or whose answer is in progress on any page. */
export function isAnswered(state: AgentState, messageId: string): boolean {
  const said = messages(state);
  const at = placeOf(said, messageId);
  return at >= 0 && (at < said.length - 1 || isOpen(state));
}

/** The messages of the step in flight that are not in a section yet. */
export function liveMessages(state: AgentState): readonly Message[] {
  return isOpen(state) ? (currentStep(state)?.outputMessages ?? []) : [];
}
