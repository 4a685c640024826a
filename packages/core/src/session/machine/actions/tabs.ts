import { stopReason } from '../../../graph/agent-state/accessors.ts';
import { runError } from '../../../graph/agent-state/ending-error.ts';
import { isTrace } from '../../../graph/message.ts';
import type { AgentState } from '../../../graph/types.ts';
import type { Turn } from '../../agent-session.ts';
import { branchMessages, isOfUser, placesIn, turnAt } from '../../branches/branch-messages.ts';
import { restoreQueue } from '../queue.ts';
import { newTurn, reply, to, type Transition, watching } from '../transition.ts';
import { isOfOpenTurn, isOpen, waitsForPerson } from '../state-facts.ts';
import { pausedIn } from '../run-control.ts';
import type { OutcomeOf } from '../session-input.ts';
import { type ActiveRun, type Move, type QueuedTurn, type SessionModel, mirror } from '../session-model.ts';
import { needsRun } from '../../../run/answer-call.ts';
import type { SessionEffect } from '../session-effect.ts';
import { mergedTree } from '../../branches/session-tree.ts';

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
  if (isInRun !== null && isOfOpenTurn(state, isInRun))
    return run === null
      ? to(model, reply(commandId, newTurn(commandId, kind, 'awaiting-input')))
      : to(watching(model, commandId, run.turn.id));
  const line = isInRun === null ? state : lineOf(model, state, isInRun);
  // The next tab goes on with the run of this message, in a turn of its own.
  const isGoingOn = run !== null && isOpen(state) && line === state;
  if (isGoingOn && isInRun !== null && isLast(state, isInRun))
    return to(watching(model, commandId, run.turn.id));
  // An open run without an active one waits for a person.
  if (isOpen(state) && (line === null || (line === state && (isInRun === null || isLast(state, isInRun)))))
    return to(model, reply(commandId, newTurn(commandId, kind, 'awaiting-input')));
  const done = newTurn(commandId, kind, 'done');
  const isEnded = isInRun === null || (line !== null && isLast(line, isInRun) && !isOpen(line));
  if (line === null || (isInRun !== null && !isAnsweredIn(line, isInRun)))
    return to(model, reply(commandId, { ...done, ...stopped }));
  return to(model, reply(commandId, { ...done, ...(isEnded ? endOf(line) : earlierEnd(line, commandId)) }));
}

/** A turn with its end in a state, where another page or device has answered its message. */
export function answeredTurn(turn: Turn, line: AgentState): Turn {
  const messages = branchMessages(line);
  const from = placesIn(messages).get(turn.id) ?? -1;
  // An answer belongs to all messages before it.
  const answer = messages.findIndex((message, at) => at > from && !isOfUser(message));
  const asked = from < 0 ? null : (messages[(answer < 0 ? messages.length : answer) - 1]?.id ?? null);
  if (asked === null) return { ...turn, status: 'done', ...stopped };
  if (!isLast(line, asked)) return { ...turn, status: 'done', ...earlierEnd(line, asked) };
  return isOpen(line) ? { ...turn, status: 'awaiting-input' } : { ...turn, status: 'done', ...endOf(line) };
}

type End = Pick<Turn, 'outcome' | 'stopReason' | 'error'>;

const stopped: End = { outcome: 'stopped', stopReason: 'user-requested', error: null };
const completed: End = { outcome: 'completed', stopReason: 'completed', error: null };

/** The end of the last turn of a branch. */
function endOf(line: AgentState): End {
  const error = runError(line);
  const isStopped = line.execution?.status === 'stopped';
  // A run that gave up has an error and is stopped, because it may go on.
  const outcome = isStopped ? 'stopped' : error !== null ? 'failed' : 'completed';
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

/** Takes the message of the leader into a following session, in which nothing begins. */
export function handleFollowed(
  model: SessionModel,
  { document, events, view }: OutcomeOf<'followed'>,
): Transition {
  const tree = document?.tree ?? model.tree;
  const next: SessionModel = { ...model, ...mirror(view), tree, isFollowing: true, awaitsLeader: false };
  if (document === null && events.length === 0) return to(next);
  return to(next, { type: 'follow', document, events });
}

/**
 * Takes over from a leader that is gone or handed over. It starts from the stored record and the newer
 * followed state.
 * An open run is interrupted, or continues with `resume`.
 */
export function takenOver(model: SessionModel, outcome: OutcomeOf<'opened'>, state: AgentState): Transition {
  const { record, takeover, resume } = outcome;
  const { isFollowing: _isFollowing, awaitsLeader: _awaitsLeader, conflict: _conflict, ...own } = model;
  if (model.phase === 'deleted' && record === null) return to(own, { type: 'forget-store' });
  const found = takeover?.own ?? record?.state ?? state;
  const run = model.run ?? model.conflict?.run ?? null;
  const left = run === null ? model.paused : { turn: run.turn, options: run.options, steered: run.steered };
  const queue = queueOf({ ...model, run }, outcome, found);
  const move = unmadeMove(run, found);
  const { elsewhere = null } = model;
  const isResumed = resume && elsewhere === null;
  const isInterrupted = isOpen(found) && !waitsForPerson(found) && !isResumed;
  const failure = runError(found);
  const next: SessionModel = {
    ...own,
    phase: 'open',
    run: null,
    paused: isOpen(found) ? (left ?? pausedIn(found)) : null,
    goesOn:
      isResumed && isOpen(found) && run?.isStopping !== true && (!waitsForPerson(found) || needsRun(found)),
    queue,
    moves: move === null ? model.moves : [move, ...model.moves],
    isHeld: failure !== null || model.isHeld || (isInterrupted && queue.length > 0),
    error: failure,
    retrying: [],
    tree: record === null ? model.tree : mergedTree(record, model.tree, found),
    elsewhere,
    moved: record?.movedTo ?? null,
  };
  const watched: readonly SessionEffect[] = elsewhere === null ? [] : [{ type: 'watch-run' }];
  const begin = (base: AgentState): SessionEffect => ({ type: 'new-journal', base, behind: [] });
  const read = record === null ? [] : [begin(record.state)];
  const newer = takeover?.own ?? null;
  if (newer === null && record !== null) return to(next, ...read, ...watched);
  // A new journal is saved whole.
  return to(next, ...read, ...(newer === null ? [] : [begin(newer)]), { type: 'save-soon' }, ...watched);
}

/** The turns that had not begun, here or in the stored record. */
function queueOf(
  { run, queue }: SessionModel,
  { record }: OutcomeOf<'opened'>,
  found: AgentState,
): readonly QueuedTurn[] {
  const said = placesIn(branchMessages(found));
  const begun = run === null || run.begun === null || hasBegun(run, found) ? [] : [run.begun];
  const unsaid = unmadeMove(run, found) === null ? begun : [];
  const own = [...unsaid, ...queue.filter(({ message }) => !said.has(message.id))];
  const ids = new Set(own.map(({ message }) => message.id));
  const stored = record === null ? [] : restoreQueue(record.queue, found);
  const others = stored.filter(({ message }) => !ids.has(message.id));
  const isSaid = ({ message }: QueuedTurn): boolean => said.has(message.id);
  // A message on the branch without a run is answered before another one is appended.
  return [...others.filter(isSaid), ...own, ...others.filter((entry) => !isSaid(entry))];
}

/** The move that the run has not made; the branch is still the one to be left. */
function unmadeMove(run: ActiveRun | null, found: AgentState): Move | null {
  if (run === null || run.move === null || hasBegun(run, found)) return null;
  const isThere = run.begun !== null && placesIn(branchMessages(found)).has(run.begun.message.id);
  return isThere ? null : run.move;
}

/** True when the execution of the run is in the state. */
function hasBegun({ executionBefore }: ActiveRun, { execution }: AgentState): boolean {
  return execution !== null && execution.executionId !== executionBefore;
}
