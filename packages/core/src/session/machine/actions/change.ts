import { cancelled } from '../queue.ts';
import { pendingCancelled } from '../pending-cancelled.ts';
import { refusal } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { emptyTree } from '../../branches/empty-tree.ts';
import { reply, tell, andThen, to, type Transition } from '../transition.ts';

/** Changes the state by what a function of the application makes of it; also while a run goes on. */
export function update(model: SessionModel, command: CommandOf<'update'>): Transition {
  const { id: commandId } = command;
  const error = refusal(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  return to(model, { ...command, type: 'update' });
}

/** Begins again on a blank state: what runs is ended and no longer heard, what waits is cancelled. */
export function reset(model: SessionModel, { id: commandId }: CommandOf<'reset'>): Transition {
  const error = refusal(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const emptied = andThen(pendingCancelled(model), (next) => cancelled(next, () => true));
  const ended = andThen(emptied, endOfRun);
  return andThen(ended, (next) =>
    to(
      { ...next, paused: null, goesOn: false, error: null, isHeld: false, retrying: [], tree: emptyTree },
      { type: 'new-journal', base: null, behind: [] },
      { type: 'save-soon' },
      reply(commandId, null),
    ),
  );
}

function endOfRun(model: SessionModel): Transition {
  const { run } = model;
  if (run === null) return to(model);
  const turns = [run.turn, ...run.steered].map((turn) => ({
    ...turn,
    status: 'done' as const,
    outcome: 'stopped' as const,
    stopReason: 'user-requested' as const,
  }));
  const [turn = run.turn] = turns;
  const over = to(
    { ...model, run: null },
    { type: 'abandon', runId: run.id, message: 'The session was reset' },
    { type: 'finish', turn },
  );
  return andThen(over, (next) => tell(next, turns));
}
