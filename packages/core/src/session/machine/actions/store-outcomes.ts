import type { ErrorInfo } from '../../../graph/error-info.ts';
import type { AgentState } from '../../../graph/types.ts';
import { needsRun } from '../../../run/answer-call.ts';
import type { Turn } from '../../agent-session.ts';
import { departureCancelled } from './departure.ts';
import { runError } from '../../../graph/agent-state/ending-error.ts';
import { leaveIfIdle, pausedIn } from '../run-control.ts';
import { restoreQueue as restoredQueue } from '../queue.ts';
import { andThen, newTurn, type Others, reply, settleTurns, to, type Transition } from '../transition.ts';
import { namedRefusal } from '../refusals.ts';
import { branchMessages, placesIn } from '../../branches/branch-messages.ts';
import type { SessionEffect } from '../session-effect.ts';
import type { OutcomeOf } from '../session-input.ts';
import { openTurns, type SessionModel } from '../session-model.ts';
import { isOpen, waitsForPerson } from '../state-facts.ts';
import { treeOf } from '../../branches/session-tree.ts';
import { isDeleted } from '../../store/is-deleted.ts';

/** Handles the result of the first read: a record, no record, or an error. */
export function handleOpened(
  model: SessionModel,
  outcome: OutcomeOf<'opened'>,
  state: AgentState,
  others: Others | null,
): Transition {
  const { record, error, commandId } = outcome;
  if (error !== null) {
    const unreadable: SessionModel = { ...model, phase: 'unreadable', error };
    return andThen(to(unreadable, { type: 'report', error }), (next) => settleRetry(next, commandId, error));
  }
  if (record !== null && isDeleted(record))
    return andThen(handleDeleted(withoutOthersRun(model, outcome)), (next) =>
      settleRetry(next, commandId, namedRefusal('deleted')),
    );
  if (outcome.takeover !== undefined && others !== null)
    return andThen(others(model, outcome, state), (next) => settleRetry(next, commandId, null));
  const found = record?.state ?? state;
  const queue = record === null ? [] : restoredQueue(record.queue, found);
  const failure = runError(found);
  const open: SessionModel = {
    ...model,
    phase: 'open',
    queue,
    draft: record?.draft ?? (model.hasStore && outcome.isFollowing !== true ? '' : model.draft),
    error: failure,
    isHeld: failure !== null || (queue.length > 0 && !outcome.resume),
    tree: record === null ? model.tree : treeOf(record),
    paused: pausedIn(found),
    elsewhere: null,
    moved: record?.movedTo ?? null,
    ...(outcome.isFollowing === true ? { isFollowing: true, awaitsLeader: true } : {}),
    goesOn: outcome.resume && isOpen(found) && (!waitsForPerson(found) || needsRun(found)),
  };
  const read =
    record === null
      ? to(open)
      : to(open, { type: 'new-journal', base: record.state, behind: [] }, ...takenBack(open, found));
  return andThen(read, (next) => settleRetry(next, commandId, null));
}

/** Takes messages of a held queue off the branch, where their runs had not begun. */
function takenBack({ queue, isHeld }: SessionModel, found: AgentState): readonly SessionEffect[] {
  if (!isHeld) return [];
  const said = placesIn(branchMessages(found));
  return queue.flatMap(({ message: { id } }) =>
    said.has(id) ? [{ type: 'take-back-message' as const, id }] : [],
  );
}

/** The model of a tab that took over: keep its store open and do not end the old tab's run. */
function withoutOthersRun(model: SessionModel, { takeover }: OutcomeOf<'opened'>): SessionModel {
  const { isFollowing: _isFollowing, ...own } = model;
  return takeover === undefined ? model : { ...own, phase: 'open', run: null };
}

/** Starts the run after its base was saved, or could not be, and no other writer has the session. */
export function handleStored(model: SessionModel, outcome: OutcomeOf<'stored'>): Transition {
  const { run } = model;
  if (run === null || run.id !== outcome.runId || run.phase !== 'storing') return to(model);
  return to(
    { ...model, run: { ...run, phase: 'running', begun: null, move: null } },
    { type: 'run', runId: run.id, options: run.options, stop: null },
  );
}

/** Handles deletion: aborts the run, refuses all open turns and stops writes. */
export function handleDeleted(model: SessionModel): Transition {
  if (model.phase === 'deleted' || model.phase === 'ended') return to(model);
  const { conflict = null, ...open } = model;
  const run = model.run ?? conflict?.run ?? null;
  const turns = openTurns({ ...open, run, paused: null }).map((turn): Turn => {
    return { ...turn, status: 'refused', error: namedRefusal('deleted') };
  });
  const emptied: SessionModel = {
    ...open,
    phase: 'deleted',
    run: null,
    paused: null,
    goesOn: false,
    elsewhere: null,
    queue: [],
    moves: [],
    retry: null,
    retrying: [],
  };
  const isRunning = run?.phase === 'running';
  const effects: SessionEffect[] = [
    { type: 'forget-store' },
    ...(isRunning ? [{ type: 'abandon' as const, runId: run.id, message: 'The session was deleted' }] : []),
    ...(isRunning ? [{ type: 'finish' as const, turn: turns[0] as Turn }] : []),
    ...(conflict?.askedBy ?? []).map((id) => reply(id, null)),
  ];
  const left = andThen(
    to(emptied, ...effects),
    (next) => departureCancelled(next, namedRefusal('deleted')),
    (next) => settleTurns(next, turns),
  );
  return leaveIfIdle(left);
}

/** Handles an undone deletion: reads the stored session, and commands wait meanwhile. */
export function handleRestored(model: SessionModel): Transition {
  if (model.phase !== 'deleted' || model.isDisposed) return to(model);
  return to({ ...model, phase: 'loading', error: null }, { type: 'open-again', commandId: null });
}

function settleRetry(model: SessionModel, commandId: string | null, error: ErrorInfo | null): Transition {
  if (commandId === null) return to(model);
  const turn = newTurn(commandId, 'retry', error === null ? 'done' : 'refused');
  return to(model, { type: 'reply', commandId, turn: { ...turn, error }, when: 'now' });
}
