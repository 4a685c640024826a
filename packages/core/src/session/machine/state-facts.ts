import { currentStep, messages, pendingApprovals, status } from '../../graph/agent-state/views.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';

/** True for a run that was begun and is not over, whoever goes on with it. */
export function isOpen(state: AgentState): boolean {
  return status(state) === 'in-progress';
}

/** True for a run in which a call waits for a person. */
export function isWaiting(state: AgentState): boolean {
  return isOpen(state) && pendingApprovals(state).length > 0;
}

/** True for a message that has an answer, or whose answer is being made, by whichever page. */
export function isAnswered(state: AgentState, messageId: string): boolean {
  const said = messages(state);
  const at = said.findIndex(({ id }) => id === messageId);
  return at >= 0 && (at < said.length - 1 || isOpen(state));
}

/** The messages of the step in flight that do not stand in a section yet. */
export function liveMessages(state: AgentState): readonly Message[] {
  return isOpen(state) ? (currentStep(state)?.outputMessages ?? []) : [];
}
