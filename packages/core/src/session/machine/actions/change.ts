import { cancelled } from '../queue.ts';
import { pendingCancelled } from '../pending-cancelled.ts';
import { unsettled } from '../refusals.ts';
import { runLeft } from '../run-left.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { emptyTree } from '../../branches/empty-tree.ts';
import { reply, andThen, to, type Transition } from '../transition.ts';

/** Changes the state by a function of the application, also during a run. */
export function update(model: SessionModel, command: CommandOf<'update'>): Transition {
  const { id: commandId } = command;
  const error = unsettled(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  return to(model, { ...command, type: 'update' });
}

/** Begins again on a blank state: ends the active run and cancels the queue. */
export function reset(model: SessionModel, { id: commandId }: CommandOf<'reset'>): Transition {
  const error = unsettled(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const emptied = andThen(pendingCancelled(model), (next) => cancelled(next, () => true));
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
