import { cancelTurns } from '../queue.ts';
import { refusal, unsettledError } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { andThen, reply, to, type Transition } from '../transition.ts';
import { pendingCancelled, runLeft } from '../run-control.ts';
import { emptyTree } from '../../branches/session-tree.ts';

/** Sets a title that later messages do not replace. */
export function rename(model: SessionModel, { id: commandId, title }: CommandOf<'rename'>): Transition {
  const error = refusal(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const reply = { type: 'reply', commandId, turn: null, when: 'saved' } as const;
  return to({ ...model, title }, { type: 'save-soon' }, reply);
}

export function setDraft(model: SessionModel, { draft }: CommandOf<'set-draft'>): Transition {
  return draft === model.draft ? to(model) : to({ ...model, draft }, { type: 'save-soon' });
}

/** Clears the error and releases the queue. */
export function clearError(model: SessionModel): Transition {
  return model.phase === 'open' ? to({ ...model, error: null, isHeld: false }) : to(model);
}

export function cancelQueued(model: SessionModel, { queuedId }: CommandOf<'cancel-queued'>): Transition {
  return andThen(
    cancelTurns(model, ({ turn }) => turn.id === queuedId),
    (next) => to(next, { type: 'save-soon' }),
  );
}

/** Changes the state by a function of the application, also during a run. */
export function update(model: SessionModel, command: CommandOf<'update'>): Transition {
  const { id: commandId } = command;
  const error = unsettledError(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  return to(model, { ...command, type: 'update' });
}

/** Begins again on a blank state: ends the active run and cancels the queue. */
export function resetSession(model: SessionModel, { id: commandId }: CommandOf<'reset'>): Transition {
  const error = unsettledError(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const emptied = andThen(pendingCancelled(model), (next) => cancelTurns(next, () => true));
  const ended = andThen(emptied, (next) => runLeft(next, 'The session was reset'));
  return andThen(ended, (next) =>
    to(
      {
        ...next,
        paused: null,
        goesOn: false,
        error: null,
        isHeld: false,
        elsewhere: null,
        retrying: [],
        tree: emptyTree,
      },
      { type: 'new-journal', base: null, behind: [] },
      { type: 'save-soon' },
      reply(commandId, null),
    ),
  );
}
