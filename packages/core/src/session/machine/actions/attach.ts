import { stopReason } from '../../../graph/agent-state/accessors.ts';
import { isTrace } from '../../../graph/message.ts';
import type { AgentState } from '../../../graph/types.ts';
import type { Turn } from '../../agent-session.ts';
import { branchMessages, isOfUser, placesIn, turnAt } from '../../branches/branch-messages.ts';
import { newTurn } from '../new-turn.ts';
import { isOpen } from '../state-facts.ts';
import { runError } from '../../run-error.ts';
import type { OutcomeOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { reply, to, type Transition, watching } from '../transition.ts';

/**
 * Reports the turn of a command that a former leader took: later when the turn is open, at once when it has
 * ended.
 */
export function attach(
  model: SessionModel,
  { commandId, kind }: OutcomeOf<'attach'>,
  state: AgentState,
): Transition {
  if (kind === null) return to(model, reply(commandId, null));
  const { run, paused, queue, moves, retry } = model;
  const waiting = [...queue, ...moves, ...(retry === null ? [] : [retry])];
  if (waiting.some(({ turn }) => turn.id === commandId)) return to(watching(model, commandId, commandId));
  // An answer belongs to the turn in which it was given.
  const isInRun = kind === 'send' || kind === 'edit' || kind === 'regenerate' ? commandId : null;
  const going = run ?? model.conflict?.run ?? paused;
  const turn = [going?.turn, ...(going?.steered ?? [])].find((entry) => entry?.id === (isInRun ?? entry?.id));
  if (turn !== undefined && (run !== null || going !== paused))
    return to(watching(model, commandId, turn.id));
  if (turn !== undefined) return to(model, reply(commandId, { ...turn, status: 'awaiting-input' }));
  // An open run without an active one waits for a person.
  const line = isInRun === null ? state : lineOf(model, state, isInRun);
  if (isOpen(state) && (line === null || (line === state && (isInRun === null || isLast(state, isInRun)))))
    return to(model, reply(commandId, newTurn(commandId, kind, 'awaiting-input')));
  const done = newTurn(commandId, kind, 'done');
  const isEnded = isInRun === null || (line !== null && isLast(line, isInRun) && !isOpen(line));
  if (line === null || (isInRun !== null && !isAnsweredIn(line, isInRun)))
    return to(model, reply(commandId, { ...done, ...stopped }));
  return to(model, reply(commandId, { ...done, ...(isEnded ? endOf(line) : earlierEnd(line, commandId)) }));
}

type End = Pick<Turn, 'outcome' | 'stopReason' | 'error'>;

const stopped: End = { outcome: 'stopped', stopReason: 'user-requested', error: null };
const completed: End = { outcome: 'completed', stopReason: 'completed', error: null };

/** The end of the last turn of a branch. */
function endOf(line: AgentState): End {
  const error = runError(line);
  const isStopped = line.execution?.status === 'stopped';
  const outcome = error !== null ? 'failed' : isStopped ? 'stopped' : 'completed';
  return { outcome, stopReason: stopReason(line), error };
}

/** The end of a turn of which only the messages are known. */
function earlierEnd(line: AgentState, messageId: string): End {
  const messages = branchMessages(line);
  const from = placesIn(messages).get(messageId) ?? -1;
  const next = messages.findIndex((message, at) => at > from && isOfUser(message));
  const last = messages.at(next < 0 ? -1 : next - 1);
  const isWhole = last?.role === 'assistant' && !isTrace(last) && last.metadata['incomplete'] !== true;
  return isWhole ? completed : stopped;
}

/** The branch that holds a message, the active one first; null when none does. */
function lineOf({ tree }: SessionModel, state: AgentState, messageId: string): AgentState | null {
  const lines = [state, ...tree.branches.map((branch) => branch.state)];
  return lines.find((line) => placesIn(branchMessages(line)).has(messageId)) ?? null;
}

/** True when no later message of the user stands behind a message. */
function isLast(line: AgentState, messageId: string): boolean {
  const messages = branchMessages(line);
  return turnAt(messages, Infinity) === placesIn(messages).get(messageId);
}

/** True when an answer stands behind a message. */
function isAnsweredIn(line: AgentState, messageId: string): boolean {
  const messages = branchMessages(line);
  return messages[(placesIn(messages).get(messageId) ?? -1) + 1]?.role === 'assistant';
}
