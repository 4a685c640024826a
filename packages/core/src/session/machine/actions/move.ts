import type { AgentState } from '../../../graph/types.ts';
import { whyNot } from '../moves.ts';
import { newTurn } from '../new-turn.ts';
import { retryCancelled } from '../queue.ts';
import { emptyMessage, isEmptyMessage, unsettled } from '../refusals.ts';
import { stopped } from '../run-control.ts';
import type { CommandOf } from '../session-input.ts';
import type { Move, SessionModel } from '../session-model.ts';
import { keptMessage } from '../../stores/queued-message.ts';
import { andThen, refuse, to, type Transition, watching } from '../transition.ts';

/** Leaves the active branch for a new or another one, after stopping an active run. */
export function move(model: SessionModel, command: CommandOf<'move'>, state: AgentState): Transition {
  const { id, kind, message } = command;
  const error =
    unsettled(model) ??
    (message !== null && isEmptyMessage(message) ? emptyMessage() : null) ??
    // Behind another move the target is checked when its turn comes.
    (model.moves.length > 0 ? null : whyNot(model, state, command));
  if (error !== null) return refuse(model, { id, kind, error });
  const moves = [...model.moves, moveOf(command)];
  const waiting = andThen(retryCancelled(model), (next) => to(watching({ ...next, moves }, id, id)));
  const { run } = model;
  if (run === null) return waiting;
  return andThen(waiting, (next) =>
    stopped(next, run, 'The user continued on another branch of the conversation'),
  );
}

function moveOf({
  id,
  kind,
  at,
  messageId,
  message,
  options,
  isOfOtherTab = false,
}: CommandOf<'move'>): Move {
  const { model } = options;
  const own = model === undefined ? {} : { options: { model } };
  return {
    turn: newTurn(id, kind),
    at,
    messageId,
    message: message === null ? null : { ...keptMessage(message), ...own, id, isSteered: false },
    options,
    conflicts: 0,
    ...(isOfOtherTab ? { isOfOtherTab } : {}),
  };
}
