import { section } from '../../graph/message-store.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { ForkPoint } from '../agent-session.ts';
import { placesIn } from '../branches/branch-messages.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import { isOpen } from './state-facts.ts';

/**
 * Returns the number of messages that a fork begins with; null when no message of the active branch has the
 * id.
 * A call stays with its result: all messages of a step come along, and none of the step in flight.
 */
export function forkEnd(state: AgentState, { messageId, stepId }: ForkPoint): number | null {
  const said = section(state.context.store);
  const trace = section(state.context.store, 'execution_buffer');
  const limit = settledEnd(state, said);
  if (messageId === undefined && stepId === undefined) return limit;
  const at = stepId === undefined ? (placesIn(said).get(messageId ?? '') ?? -1) : lastOf(said, stepId);
  if (at >= 0) return Math.min(endOfStep(said, at), limit);
  // A trace in its own section belongs to the last message.
  const isInTrace = stepId === undefined ? placesIn(trace).has(messageId ?? '') : lastOf(trace, stepId) >= 0;
  return isInTrace ? limit : null;
}

const stepOf = ({ metadata }: Message): unknown => metadata['step_id'];

function lastOf(messages: readonly Message[], stepId: string): number {
  return messages.findLastIndex((message) => stepOf(message) === stepId);
}

function endOfStep(messages: readonly Message[], at: number): number {
  const step = stepOf(messages[at] as Message);
  let end = at + 1;
  while (step !== undefined && end < messages.length && stepOf(messages[end] as Message) === step) end++;
  return end;
}

/** Returns the index after the last finished step. */
function settledEnd(state: AgentState, messages: readonly Message[]): number {
  const step = isOpen(state) ? currentStep(state) : null;
  const first = step === null ? -1 : messages.findIndex((message) => stepOf(message) === step.id);
  return first < 0 ? messages.length : first;
}
