import type { AgentState } from '../../../graph/types.ts';
import { settle, stopped } from '../run-control.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { isOpen } from '../state-facts.ts';
import { reply, to, type Transition, watching } from '../transition.ts';

/** Ends the active, waiting or interrupted run; the promise settles when it has ended. */
export function stop(model: SessionModel, command: CommandOf<'stop'>, state: AgentState): Transition {
  const { run } = model;
  if (run !== null) {
    const watched = watching(model, command.id, run.turn.id, true);
    return stopped(watched, run, command.message);
  }
  const isSettled = (model.conflict ?? null) === null;
  if (model.phase !== 'open' || !isSettled || !isOpen(state)) return to(model, reply(command.id, null));
  const settling = settle(model, state, command.message);
  const turnId = settling.model.run?.turn.id ?? '';
  return { ...settling, model: watching(settling.model, command.id, turnId, true) };
}
