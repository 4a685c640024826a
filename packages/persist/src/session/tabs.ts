import type { AgentState } from '@vitrine/core/internal/graph/types';
import { namedRefusal } from '@vitrine/core/internal/session/machine/refusals';
import type { Turn } from '@vitrine/core/internal/session/agent-session';
import { runError } from '@vitrine/core/internal/graph/agent-state/ending-error';
import { needsRun } from '@vitrine/core/internal/run/answer-call';
import { branchMessages, placesIn } from '@vitrine/core/internal/session/branches/branch-messages';
import {
  holds,
  maxCheckpoints,
  type SessionTree,
} from '@vitrine/core/internal/session/branches/session-tree';
import {
  readEarlierEnd,
  readEnd,
  isLast,
  stopped,
} from '@vitrine/core/internal/session/machine/actions/answered-turn';
import { restoreQueue } from '@vitrine/core/internal/session/machine/queue';
import { pausedIn } from '@vitrine/core/internal/session/machine/run-control';
import type { SessionEffect } from '@vitrine/core/internal/session/machine/session-effect';
import type { OutcomeOf } from '@vitrine/core/internal/session/machine/session-input';
import {
  type ActiveRun,
  isElsewhere,
  type MirroredModel,
  mirroredFields,
  type Move,
  type QueuedTurn,
  type SessionModel,
  type TabView,
} from '@vitrine/core/internal/session/machine/session-model';
import { isOfOpenTurn, isOpen, waitsForPerson } from '@vitrine/core/internal/session/machine/state-facts';
import {
  newTurn,
  reply,
  settleTurns,
  to,
  type Transition,
  addWatcher,
} from '@vitrine/core/internal/session/machine/transition';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';

/** Reports the turn of a command that a former leader took: later when the turn is open, at once when it has ended. */
export function attach(
  model: SessionModel,
  { commandId, kind }: OutcomeOf<'attach'>,
  state: AgentState,
): Transition {
  if (kind === null) return to(model, reply(commandId, null));
  const { run, paused, queue, moves, retry } = model;
  const waiting = [...queue, ...moves, ...(retry === null ? [] : [retry])];
  if (waiting.some(({ turn }) => turn.id === commandId)) return to(addWatcher(model, commandId, commandId));
  // An answer belongs to the turn in which it was given.
  const isInRun = kind === 'send' || kind === 'edit' || kind === 'regenerate' ? commandId : null;
  const going = run ?? model.conflict?.run ?? paused;
  const turn = [going?.turn, ...(going?.steered ?? [])].find((entry) => entry?.id === (isInRun ?? entry?.id));
  if (turn !== undefined && (run !== null || going !== paused))
    return to(addWatcher(model, commandId, turn.id));
  if (turn !== undefined) return to(model, reply(commandId, { ...turn, status: 'awaiting-input' }));
  if (isInRun !== null && isOfOpenTurn(state, isInRun))
    return run === null
      ? to(model, reply(commandId, newTurn(commandId, kind, 'awaiting-input')))
      : to(addWatcher(model, commandId, run.turn.id));
  const line = isInRun === null ? state : lineOf(model, state, isInRun);
  // The next tab goes on with the run of this message, in a turn of its own.
  const isGoingOn = run !== null && isOpen(state) && line === state;
  if (isGoingOn && isInRun !== null && isLast(state, isInRun))
    return to(addWatcher(model, commandId, run.turn.id));
  // An open run without an active one waits for a person.
  if (isOpen(state) && (line === null || (line === state && (isInRun === null || isLast(state, isInRun)))))
    return to(model, reply(commandId, newTurn(commandId, kind, 'awaiting-input')));
  const done = newTurn(commandId, kind, 'done');
  const isEnded = isInRun === null || (line !== null && isLast(line, isInRun) && !isOpen(line));
  if (line === null || (isInRun !== null && !isAnsweredIn(line, isInRun)))
    return to(model, reply(commandId, { ...done, ...stopped }));
  return to(
    model,
    reply(commandId, { ...done, ...(isEnded ? readEnd(line) : readEarlierEnd(line, commandId)) }),
  );
}

/** The branch that holds a message, the active one first; null when none does. */
function lineOf({ tree }: SessionModel, state: AgentState, messageId: string): AgentState | null {
  const lines = [state, ...tree.branches.map((branch) => branch.state)];
  return lines.find((line) => placesIn(branchMessages(line)).has(messageId)) ?? null;
}

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
 * Takes over from a leader that is gone or handed over. It starts from the stored record and the newer followed state.
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

function hasBegun({ executionBefore }: ActiveRun, { execution }: AgentState): boolean {
  return execution !== null && execution.executionId !== executionBefore;
}

function mirror(view: Partial<TabView>): Partial<MirroredModel> {
  return Object.fromEntries(mirroredFields.filter((key) => key in view).map((key) => [key, view[key]]));
}

/**
 * Merges the stored tree with local branches and checkpoints that another writer may not know.
 * `active` is the state that the session continues from; an unsaved edit makes it another branch than the stored one.
 */
export function mergedTree(stored: SessionRecord, own: SessionTree, active: AgentState): SessionTree {
  const lines = [active, ...stored.branches.map(({ state }) => state)];
  const unknown = own.branches.filter(({ state }) => !lines.some((other) => holds(other, state)));
  const storedIds = new Set(stored.checkpoints.map(({ messageId }) => messageId));
  return {
    branches: unknown.length === 0 ? stored.branches : [...stored.branches, ...unknown],
    checkpoints: [
      ...own.checkpoints.filter(({ messageId }) => !storedIds.has(messageId)),
      ...stored.checkpoints,
    ].slice(-maxCheckpoints),
  };
}

/** Offers to resume a run whose device is gone, or resumes it when the session does so by itself. */
export function otherGone(
  model: SessionModel,
  { resume: isAutomatic }: OutcomeOf<'other-gone'>,
  state: AgentState,
): Transition {
  if (!isElsewhere(model)) return to(model);
  const goesOn = isAutomatic && isOpen(state) && (!waitsForPerson(state) || needsRun(state));
  const { leftToOthers, ...own } = model;
  const queue = [...(leftToOthers?.begun ?? []), ...model.queue];
  const turns = (leftToOthers?.answering ?? []).map((turn): Turn => {
    return { ...turn, status: 'overtaken', error: namedRefusal('changedElsewhere') };
  });
  return settleTurns({ ...own, queue, elsewhere: { isGone: true }, goesOn }, turns, 'saved');
}
