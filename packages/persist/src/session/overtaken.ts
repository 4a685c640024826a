import { rereadEffect, type SessionEffect } from '@vitrine/core/internal/session/machine/session-effect';
import type { ErrorInfo } from '@vitrine/core/internal/graph/error-info';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { Turn } from '@vitrine/core/internal/session/agent-session';
import { branchMessages, placesIn } from '@vitrine/core/internal/session/branches/branch-messages';
import { runError } from '@vitrine/core/internal/graph/agent-state/ending-error';
import { leaveIfIdle, pausedIn, pendingCancelled } from '@vitrine/core/internal/session/machine/run-control';
import { isDeleted } from '@vitrine/core/internal/session/store/is-deleted';
import type { QueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import {
  cancelTurns,
  leftQueue,
  queuedEdit,
  restoreQueue,
  unbegun,
} from '@vitrine/core/internal/session/machine/queue';
import {
  andThen,
  newTurn,
  reply,
  settleTurns,
  to,
  type Transition,
} from '@vitrine/core/internal/session/machine/transition';
import { namedRefusal } from '@vitrine/core/internal/session/machine/refusals';
import type { OutcomeOf } from '@vitrine/core/internal/session/machine/session-input';
import {
  type ActiveRun,
  type Conflict,
  isElsewhere,
  openTurns,
  type QueuedTurn,
  type SessionModel,
} from '@vitrine/core/internal/session/machine/session-model';
import { isAnswered } from '@vitrine/core/internal/session/machine/state-facts';
import { refusedMoved } from '@vitrine/core/internal/session/machine/actions/departure';
import { answeredTurn } from '@vitrine/core/internal/session/machine/actions/answered-turn';
import { mergedTree } from './tabs.ts';
import { takenBack } from '@vitrine/core/internal/session/machine/actions/dispose';
import { handleDeleted } from '@vitrine/core/internal/session/machine/actions/store-outcomes';
import { rereadOnce } from '@vitrine/core/internal/session/machine/actions/turns';

/** The number of conflicts after which a turn is refused. */
const maxConflicts = 5;
const goneOn = 'Another page or device continued the session';

/**
 * Handles a write of another writer. It aborts the run, which loses its lease, and reads the stored session or asks a
 * person. Nothing begins before the conflict is resolved.
 */
export function handleOvertaken(model: SessionModel, { policy, forkId }: OutcomeOf<'overtaken'>): Transition {
  if (policy === 'end') return endFenced(model);
  if (model.phase !== 'open') return to(model);
  if (model.conflict?.phase === 'unread') return rereadOnce(model, model.conflict);
  if ((model.conflict ?? null) !== null) return to(model);
  const { run } = model;
  const isAsking = policy === 'ask' && !model.isDisposed;
  const conflict: Conflict = {
    phase: isAsking ? 'asking' : 'reading',
    policy: policy === 'ask' ? 'fork' : policy,
    forkId,
    run,
    isShown: isAsking,
    askedBy: [],
  };
  const held: SessionModel = { ...model, conflict, run: null, goesOn: false, retrying: [] };
  const aborted =
    run?.phase === 'running' ? to(held, { type: 'abandon', runId: run.id, message: goneOn }) : to(held);
  if (!isAsking) return andThen(aborted, (next) => to(next, rereadEffect(conflict)));
  return andThen(aborted, (next) => parkTurns(next, run, namedRefusal('asksForPolicy')));
}

/**
 * Ends a session whose store is fenced: another runner has it. Its run is aborted and nothing more is told or written. The
 * next runner begins the messages that wait in the store.
 */
function endFenced(model: SessionModel): Transition {
  if (model.phase === 'ended' || model.phase === 'deleted') return to(model);
  const { run } = model;
  const error = namedRefusal('replaced');
  const begun = run?.phase === 'running' ? turnsOf(run) : [];
  const turns = openTurns(model).map((turn): Turn => {
    return { ...turn, status: begun.some(({ id }) => id === turn.id) ? 'overtaken' : 'queued', error };
  });
  const ended: SessionModel = {
    ...model,
    phase: 'ended',
    run: null,
    paused: null,
    goesOn: false,
    retry: null,
    moves: [],
    queue: [],
    retrying: [],
    error,
  };
  const effects: readonly SessionEffect[] = [
    { type: 'forget-store' },
    ...(run?.phase === 'running' ? [{ type: 'abandon' as const, runId: run.id, message: goneOn }] : []),
    ...(begun.length > 0 ? turns.slice(0, 1).map((turn) => ({ type: 'finish' as const, turn })) : []),
    { type: 'report', error },
  ];
  const settled = andThen(to(ended, { type: 'fall-silent' }, ...effects), (next) => settleTurns(next, turns));
  return andThen(settled, (next) => to(next, { type: 'leave' }));
}

/** Continues from the stored session after it was read and the unsaved answers were forked. */
export function handleReread(
  model: SessionModel,
  outcome: OutcomeOf<'read-again'>,
  state: AgentState,
): Transition {
  const { conflict = null } = model;
  const { record, error } = outcome;
  if (conflict === null || conflict.phase !== 'reading') return to(model);
  if (error !== null) return unread(model, conflict, error);
  if (outcome.isOwn === true) return continueOwn(model, conflict, state);
  if (record === null || isDeleted(record)) return handleDeleted(model);
  const { conflict: _conflict, ...own } = model;
  const isFollowing =
    outcome.isElsewhere === true && (outcome.isFresh === true || !isAskedHere(conflict, record));
  const taken = to(
    { ...adoptRecord(own, outcome, record), elsewhere: isFollowing ? { isGone: false } : null },
    { type: 'new-journal', base: record.state, behind: [] },
    { type: 'save-soon' },
    ...(isFollowing ? [{ type: 'watch-run' as const }] : []),
  );
  const begun = andThen(taken, (next) => goneOnWith(next, conflict, outcome));
  const known = andThen(begun, (next) => withOthers(next, record, isFollowing ? outcome : null));
  const here = andThen(known, refusedMoved);
  const closed = andThen(here, (next) =>
    next.isDisposed ? andThen(pendingCancelled(next), leftQueue) : to(next),
  );
  return leaveIfIdle(andThen(closed, (next) => to(next, ...answersTo(conflict))));
}

/**
 * Leaves messages on the stored branch to the device that runs there, and tells the turns that it has answered. Its own
 * messages stay in the stored queue until their run has begun: a write without them would look like their removal.
 */
function withOthers(
  model: SessionModel,
  record: SessionRecord,
  followed: OutcomeOf<'read-again'> | null,
): Transition {
  const { leftToOthers, ...own } = model;
  const places = placesIn(branchMessages(record.state));
  const entries = [...(leftToOthers?.begun ?? []), ...model.queue];
  const unknown = restoreQueue(record.queue, record.state).filter(
    ({ message: { id } }) => places.has(id) && entries.every(({ message }) => message.id !== id),
  );
  if (followed === null) {
    const isOver = ({ message }: QueuedTurn): boolean => isAnswered(record.state, message.id);
    const over = [...(leftToOthers?.answering ?? []), ...entries.filter(isOver).map(({ turn }) => turn)];
    const settled = over.map((turn) => answeredTurn(turn, record.state));
    // A message on the branch without a run is answered before another one is appended.
    const queue = [...unknown, ...entries.filter((entry) => !isOver(entry))];
    return settleTurns({ ...own, queue }, settled, 'saved');
  }
  const isStored = ({ message: { id } }: QueuedTurn): boolean =>
    record.queue.some((entry) => entry.id === id);
  const said = entries.filter(({ message }) => places.has(message.id));
  const answering = said.filter((entry) => !isStored(entry)).map(({ turn }) => turn);
  const left = {
    isFresh: followed.isFresh === true,
    begun: [...unknown, ...said.filter(isStored)],
    answering: [...(leftToOthers?.answering ?? []), ...answering],
  };
  return to({ ...own, queue: entries.filter((entry) => !said.includes(entry)), leftToOthers: left });
}

/** Goes on as before the conflict: what the store holds is a write of this session itself. */
function continueOwn(model: SessionModel, conflict: Conflict, state: AgentState): Transition {
  const { conflict: _conflict, ...own } = model;
  const { run } = conflict;
  const free = to({ ...own, run, error: runError(state) }, { type: 'save-soon' });
  const left = andThen(free, (next) => {
    if (!next.isDisposed) return to(next);
    const back = andThen(takenBack(next, state), pendingCancelled);
    return andThen(back, leftQueue);
  });
  const begun = left.model.run === null ? [] : [{ type: 'store' as const, runId: left.model.run.id }];
  return leaveIfIdle(andThen(left, (next) => to(next, ...begun, ...answersTo(conflict))));
}

function answersTo({ askedBy }: Conflict): readonly SessionEffect[] {
  return askedBy.map((id) => reply(id, null, 'saved'));
}

/** Settles the turns of a run that waits for a person or for the store, which may take forever. */
function parkTurns(model: SessionModel, run: ActiveRun | null, error: ErrorInfo): Transition {
  const report = { type: 'report', error } as const;
  if (run === null) return to(model, report);
  const status = run.phase === 'running' ? ('overtaken' as const) : ('queued' as const);
  const turns = turnsOf(run).map((turn): Turn => ({ ...turn, status, error }));
  const finish = run.phase === 'running' ? [{ type: 'finish' as const, turn: turns[0] as Turn }] : [report];
  return andThen(to(model, ...finish), (next) => settleTurns(next, turns));
}

/** Keeps the session unchanged while the store does not answer; a later command reads it again. */
function unread(model: SessionModel, conflict: Conflict, error: ErrorInfo): Transition {
  const waiting: SessionModel = {
    ...model,
    error,
    conflict: { ...conflict, phase: 'unread', isShown: true },
  };
  const settled = parkTurns(waiting, conflict.isShown ? null : conflict.run, error);
  const queued = waiting.queue.map(({ turn }): Turn => ({ ...turn, error }));
  return leaveIfIdle(andThen(settled, (next) => settleTurns(next, queued)));
}

/** True when a person asked something here that the record does not hold yet and that goes on behind the record. */
function isAskedHere({ run, policy, isShown }: Conflict, record: SessionRecord): boolean {
  if (run === null || run.phase === 'running' || policy === 'fork') return false;
  if (run.conflicts >= maxConflicts || (run.move !== null && isShown)) return false;
  if (run.begun === null) return run.move !== null;
  return !placesIn(branchMessages(record.state)).has(run.begun.message.id);
}

/**
 * The session on the stored record. Its own queue joins the stored one, whose order stays, and the stored draft replaces
 * one that was not changed here: two devices that each kept their own would overwrite each other for ever.
 */
function adoptRecord(
  model: SessionModel,
  { draftBefore }: OutcomeOf<'read-again'>,
  record: SessionRecord,
): SessionModel {
  const error = runError(record.state);
  return {
    ...model,
    tree: mergedTree(record, model.tree, record.state),
    draft: model.draft === draftBefore ? record.draft : model.draft,
    paused: pausedIn(record.state),
    goesOn: false,
    queue: mergeQueue(model.queue, record),
    error,
    isHeld: model.isHeld || error !== null,
    moved: record.movedTo ?? null,
  };
}

/** The messages of the stored queue in their order, and behind them those that only wait here. */
function mergeQueue(queue: readonly QueuedTurn[], record: SessionRecord): readonly QueuedTurn[] {
  const places = new Map(record.queue.map(({ id }, at) => [id, at]));
  const placeOf = ({ message }: QueuedTurn): number => places.get(message.id) ?? places.size;
  // A message on the branch is being begun by another page.
  const said = placesIn(branchMessages(record.state));
  const unknown = record.queue.filter(
    ({ id }) => !said.has(id) && queue.every(({ message }) => message.id !== id),
  );
  return [...queue, ...restoreQueue(unknown, record.state)].sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Requeues the work that had not begun behind the stored messages. An aborted run is over, and its turn names the fork.
 */
function goneOnWith(
  model: SessionModel,
  conflict: Conflict,
  { unsaved, forkedTo: fork, forkedTurns }: OutcomeOf<'read-again'>,
): Transition {
  const { run } = conflict;
  const isForked = conflict.policy === 'fork';
  const begun = isForked || run === null ? null : run.begun;
  const behind = isForked ? [] : unsaved.filter(({ id }) => id !== begun?.message.id);
  const requeued = requeue(model, conflict, behind);
  if (run === null) return to(requeued);
  const conflicts = run.conflicts + 1;
  const { isShown } = conflict;
  // The fork may only hold answers to earlier messages.
  const isInFork = run.begun === null || forkedTurns.includes(run.begun.message.id);
  const forkedTo = isInFork ? fork : null;
  const over = (status: Turn['status']): Transition => endTurns(requeued, run, { status, forkedTo, isShown });
  // The run began, or it depends on a state that is gone.
  if (isForked || run.phase === 'running') return over('overtaken');
  if (run.conflicts >= maxConflicts) return over('refused');
  // An error of an earlier run does not hold a later request of the user.
  const free: SessionModel = { ...requeued, error: null, isHeld: false };
  const waiting = run.move === null || !conflict.isShown ? null : queuedEdit(run.move);
  // The promise of the edit has settled as queued, so its text waits in the queue.
  if (waiting !== null) return to({ ...free, queue: [waiting, ...free.queue], isHeld: true });
  if (run.move !== null) {
    const moves = [{ ...run.move, conflicts }, ...requeued.moves];
    return to({ ...free, moves });
  }
  if (begun !== null) {
    const queue = [
      { ...begun, conflicts },
      ...requeued.queue.filter(({ message }) => message.id !== begun.message.id),
    ];
    return to({ ...free, queue });
  }
  // The other device is answering this turn again.
  if (run.turn.kind === 'retry' && !isElsewhere(model))
    return to({ ...free, retry: { turn: run.turn, conflicts } });
  return over('overtaken');
}

/** Queues user messages without an answer again. Those of an aborted run keep their turn. */
function requeue(model: SessionModel, { run }: Conflict, unsaved: readonly QueuedMessage[]): SessionModel {
  const turns = run === null ? [] : turnsOf(run);
  const missing = unsaved.filter(({ id }) => model.queue.every(({ message }) => message.id !== id));
  if (missing.length === 0) return model;
  const entries = missing.map((message): QueuedTurn => {
    const turn = turns.find(({ id }) => id === message.id);
    return {
      turn: turn === undefined ? newTurn(message.id, 'send') : { ...turn, status: 'queued' },
      message,
      lane: 'queued',
      conflicts: run?.conflicts ?? 0,
    };
  });
  const isHeld = model.isHeld || missing.some(({ id }) => turns.every((turn) => turn.id !== id));
  return { ...model, queue: [...entries, ...model.queue], isHeld };
}

/** Ends the turns of a run that are not queued again. */
function endTurns(
  model: SessionModel,
  run: ActiveRun,
  { status, forkedTo, isShown }: Pick<Turn, 'status' | 'forkedTo'> & { readonly isShown: boolean },
): Transition {
  const error = namedRefusal('changedElsewhere');
  const turns = turnsOf(run)
    .filter(({ id }) => model.queue.every(({ turn }) => turn.id !== id))
    .map((turn): Turn => ({ ...turn, status, error, forkedTo }));
  const [first] = turns;
  const isOver = run.phase === 'running' && !isShown && first !== undefined;
  const finish = isOver ? [{ type: 'finish' as const, turn: first }] : [];
  const held: SessionModel = status === 'refused' ? { ...model, error, isHeld: true } : model;
  const reported = status === 'refused' ? [{ type: 'report' as const, error }] : [];
  return andThen(to(held, ...finish, ...reported), (next) => settleTurns(next, turns, 'saved'));
}

function turnsOf({ turn, steered }: ActiveRun): readonly Turn[] {
  return [turn, ...steered];
}

/**
 * Merges the title, draft and queue that another device has stored, where this one has not changed them since. The run
 * goes on: its messages are as it knows them.
 */
export function headChanged(
  model: SessionModel,
  { before, after }: OutcomeOf<'head-changed'>,
  state: AgentState,
): Transition {
  const isRenamed = before.title !== after.title && (model.title ?? before.title) === before.title;
  const isTyped = before.draft !== after.draft && model.draft === before.draft;
  const known = new Set(
    [...before.queue, ...unbegun(model).map(({ message }) => message)].map(({ id }) => id),
  );
  const added = restoreQueue(
    after.queue.filter(({ id }) => !known.has(id)),
    state,
  );
  const merged: SessionModel = {
    ...model,
    title: isRenamed ? after.title : model.title,
    draft: isTyped ? after.draft : model.draft,
    moved: after.movedTo ?? null,
    queue: [...model.queue, ...added],
    isHeld: model.isHeld || (added.length > 0 && model.run === null && model.queue.length === 0),
  };
  const there = new Set(after.queue.map(({ id }) => id));
  const removed = new Set(before.queue.flatMap(({ id }) => (there.has(id) ? [] : [id])));
  // The session moved before the run of this device had begun.
  const here = merged.moved === null ? to(merged) : andThen(takenBack(merged, state), refusedMoved);
  return andThen(here, (next) => cancelTurns(next, ({ message }) => removed.has(message.id)));
}
