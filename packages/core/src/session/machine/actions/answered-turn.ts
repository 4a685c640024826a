import { stopReason } from '../../../graph/agent-state/accessors.ts';
import { runError } from '../../../graph/agent-state/ending-error.ts';
import { isTrace } from '../../../graph/message.ts';
import type { AgentState } from '../../../graph/types.ts';
import type { Turn } from '../../agent-session.ts';
import { branchMessages, isOfUser, placesIn, turnAt } from '../../branches/branch-messages.ts';
import { isOpen } from '../state-facts.ts';

/** A turn with its end in a state, where another page or device has answered its message. */
export function answeredTurn(turn: Turn, line: AgentState): Turn {
  const messages = branchMessages(line);
  const from = placesIn(messages).get(turn.id) ?? -1;
  // An answer belongs to all messages before it.
  const answer = messages.findIndex((message, at) => at > from && !isOfUser(message));
  const asked = from < 0 ? null : (messages[(answer < 0 ? messages.length : answer) - 1]?.id ?? null);
  if (asked === null) return { ...turn, status: 'done', ...stopped };
  if (!isLast(line, asked)) return { ...turn, status: 'done', ...readEarlierEnd(line, asked) };
  return isOpen(line) ? { ...turn, status: 'awaiting-input' } : { ...turn, status: 'done', ...readEnd(line) };
}

type End = Pick<Turn, 'outcome' | 'stopReason' | 'error'>;

export const stopped: End = { outcome: 'stopped', stopReason: 'user-requested', error: null };
const completed: End = { outcome: 'completed', stopReason: 'completed', error: null };

/** The end of the last turn of a branch. */
export function readEnd(line: AgentState): End {
  const error = runError(line);
  const isStopped = line.execution?.status === 'stopped';
  // A run that gave up has an error and is stopped, because it may go on.
  const outcome = isStopped ? 'stopped' : error !== null ? 'failed' : 'completed';
  return { outcome, stopReason: stopReason(line), error };
}

/** The end of a turn of which only the messages are known. */
export function readEarlierEnd(line: AgentState, messageId: string): End {
  const messages = branchMessages(line);
  const from = placesIn(messages).get(messageId) ?? -1;
  const next = messages.findIndex((message, at) => at > from && isOfUser(message));
  const last = messages.at(next < 0 ? -1 : next - 1);
  const isWhole = last?.role === 'assistant' && !isTrace(last) && last.metadata['incomplete'] !== true;
  return isWhole ? completed : stopped;
}

/** True when no later message of the user stands behind a message. */
export function isLast(line: AgentState, messageId: string): boolean {
  const messages = branchMessages(line);
  return turnAt(messages, Infinity) === placesIn(messages).get(messageId);
}
