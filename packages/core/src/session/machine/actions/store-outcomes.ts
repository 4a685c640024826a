import type { ErrorInfo } from '../../../graph/error-info.ts';
import type { AgentState } from '../../../graph/types.ts';
import { needsRun } from '../../../run/answer-call.ts';
import type { Turn } from '../../agent-session.ts';
import { pausedIn } from '../paused-in.ts';
import { pendingCancelled } from '../pending-cancelled.ts';
import { cancelled, restored as restoredQueue } from '../queue.ts';
import { changedElsewhere, gone } from '../refusals.ts';
import { leaving, stopped } from '../run-control.ts';
import { runLeft } from '../run-left.ts';
import { line, placesIn } from '../../branches/line.ts';
import type { SessionEffect } from '../session-effect.ts';
import type { OutcomeOf } from '../session-input.ts';
import type { ActiveRun, SessionModel } from '../session-model.ts';
import { runError } from '../../run-error.ts';
import { isAnswered, isOpen, isWaiting } from '../state-facts.ts';
import { newTurn } from '../new-turn.ts';
import { mergedTree, treeOf } from '../../branches/session-tree.ts';
import { takenOver } from './taken-over.ts';
import { isDeleted } from '../../stores/is-deleted.ts';
import { tell, andThen, to, type Transition } from '../transition.ts';

/** A session that others write all the time is given up after so many attempts. */
const maxConflicts = 5;

/** The stored session was read, or there is none, or it cannot be read. */
export function opened(model: SessionModel, outcome: OutcomeOf<'opened'>, state: AgentState): Transition {
  const { record, error, commandId } = outcome;
  if (error !== null) {
    const unreadable: SessionModel = { ...model, phase: 'unreadable', error };
    return andThen(to(unreadable, { type: 'report', error }), (next) => told(next, commandId, error));
  }
  if (record !== null && isDeleted(record))
    return andThen(deleted(withoutOthersRun(model, outcome)), (next) => told(next, commandId, gone()));
  if (outcome.takeover !== undefined)
    return andThen(takenOver(model, outcome, state), (next) => told(next, commandId, null));
  const found = record?.state ?? state;
  const queue = record === null ? [] : restoredQueue(record.queue, found);
  const failure = runError(found);
  const open: SessionModel = {
    ...model,
    phase: 'open',
    queue,
    draft: model.hasStore ? (record?.draft ?? '') : model.draft,
    error: failure,
    isHeld: failure !== null || (queue.length > 0 && !outcome.resume),
    tree: record === null ? model.tree : treeOf(record),
    paused: pausedIn(found),
    ...(outcome.isFollowing === true ? { isFollowing: true } : {}),
    goesOn: outcome.resume && isOpen(found) && (!isWaiting(found) || needsRun(found)),
  };
  const read =
    record === null
      ? to(open)
      : to(open, { type: 'new-journal', base: record.state, behind: [] }, ...takenBack(open, found));
  return andThen(read, (next) => told(next, commandId, null));
}

/** A message that stood there before its run began waits in the queue, where nothing goes on by itself. */
function takenBack({ queue, isHeld }: SessionModel, found: AgentState): readonly SessionEffect[] {
  if (!isHeld) return [];
  const said = placesIn(line(found));
  return queue.flatMap(({ message: { id } }) =>
    said.has(id) ? [{ type: 'take-back-message' as const, id }] : [],
  );
}

/** Who takes over does not end the run of the tab that is gone, and has its own store to let go of. */
function withoutOthersRun(model: SessionModel, { takeover }: OutcomeOf<'opened'>): SessionModel {
  const { isFollowing: _isFollowing, ...own } = model;
  return takeover === undefined ? model : { ...own, phase: 'open', run: null };
}

/** What a run stands on was saved, or the session was changed elsewhere. */
export function stored(model: SessionModel, outcome: OutcomeOf<'stored'>): Transition {
  const { run } = model;
  if (run === null || run.id !== outcome.runId || run.phase !== 'storing') return to(model);
  if (outcome.isConflict)
    return to({ ...model, run: { ...run, phase: 'reading' } }, { type: 'read-again', runId: run.id });
  return to(
    { ...model, run: { ...run, phase: 'running', begun: null, move: null } },
    { type: 'run', runId: run.id, options: run.options, stop: null },
  );
}

/** After a conflict: what is stored is taken up, and what the person said since is put behind it. */
export function readAgain(model: SessionModel, outcome: OutcomeOf<'read-again'>): Transition {
  const { run } = model;
  if (run === null || run.id !== outcome.runId || run.phase !== 'reading') return to(model);
  const { record, error, unsaved, isForked = false } = outcome;
  if (error !== null) return givenUp(model, run, error);
  if (record === null || isDeleted(record)) return deleted(model);
  if (run.conflicts >= maxConflicts) return givenUp(model, run, changedElsewhere());
  const { begun, move } = isForked ? { begun: null, move: null } : run;
  const behind = unsaved.filter(({ id }) => id !== begun?.message.id);
  // What stands in its line is being begun by another page.
  const others = restoredQueue(
    record.queue.filter(({ id }) => !placesIn(line(record.state)).has(id)),
    record.state,
  ).filter(({ message }) =>
    [...model.queue, ...(begun === null ? [] : [begun])].every((entry) => entry.message.id !== message.id),
  );
  const next: SessionModel = {
    ...model,
    run: null,
    tree: mergedTree(record, model.tree),
    paused: pausedIn(record.state),
    goesOn: false,
    queue: [...model.queue, ...others],
  };
  const journal = { type: 'new-journal', base: record.state, behind } as const;
  // What waits in the queue may wait for long, where the stored session waits for a person.
  const save = { type: 'save-soon' } as const;
  const conflicts = run.conflicts + 1;
  /** What waits is stored for whoever comes next: another page may have sent it already. */
  const taken = (changed: SessionModel): Transition =>
    andThen(to(changed, journal, save), (model) =>
      cancelled(model, ({ message }) => isAnswered(record.state, message.id)),
    );
  if (move !== null) return taken({ ...next, moves: [{ ...move, conflicts }, ...next.moves] });
  if (begun !== null) return taken({ ...next, queue: [{ ...begun, conflicts }, ...next.queue] });
  if (run.turn.kind === 'retry' && !isForked) return taken({ ...next, retry: { turn: run.turn, conflicts } });
  return andThen(taken(next), (model) => givenUp(model, run, changedElsewhere()));
}

/** The stored entry is gone: the run ends, and nothing is written any more. */
export function deleted(model: SessionModel): Transition {
  if (model.phase === 'deleted') return to(model);
  const ended: SessionModel = { ...model, phase: 'deleted', paused: null, goesOn: false };
  const told = andThen(to(ended, { type: 'forget-store' }), pendingCancelled);
  const emptied = andThen(told, (next) => cancelled(next, () => true));
  const { run } = model;
  if (run === null) return emptied;
  return andThen(emptied, (next) => stopped(next, run, 'The session was deleted'));
}

/** The deletion was taken back: what is stored is read, and commands wait for it. */
export function restored(model: SessionModel): Transition {
  if (model.phase !== 'deleted' || model.isDisposed) return to(model);
  // A run that the deletion stops may take a while to end; what is read is not its state.
  return andThen(runLeft(model, 'The session was deleted'), (next) =>
    to({ ...next, phase: 'loading', error: null }, { type: 'open-again', commandId: null }),
  );
}

/** The turn is refused: it did not come to the model. */
function givenUp(model: SessionModel, run: ActiveRun, error: ErrorInfo): Transition {
  const turns = [run.turn, ...run.steered].map((turn): Turn => ({ ...turn, status: 'refused', error }));
  const held: SessionModel = { ...model, run: null, error, isHeld: true };
  return leaving(andThen(to(held, { type: 'report', error }), (next) => tell(next, turns)));
}

/** Who asked to read it again learns what came of it. */
function told(model: SessionModel, commandId: string | null, error: ErrorInfo | null): Transition {
  if (commandId === null) return to(model);
  const turn = newTurn(commandId, 'retry', error === null ? 'done' : 'refused');
  return to(model, { type: 'reply', commandId, turn: { ...turn, error }, when: 'now' });
}
