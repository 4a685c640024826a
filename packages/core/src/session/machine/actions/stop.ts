import type { AgentState } from '../../../graph/types.ts';
import { settle, stopped } from '../run-control.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { isOpen } from '../state-facts.ts';
import { reply, to, type Transition, watching } from '../transition.ts';

/** Ends the run that goes on, or the one that waits or was interrupted; who asked is told when it has ended. */
export function stop(model: SessionModel, command: CommandOf<'stop'>, state: AgentState): Transition {
  const { run } = model;
  if (run !== null) {
    const watched = watching(model, command.id, run.turn.id);
    return stopped(watched, run, command.message);
  }
  if (model.phase !== 'open' || !isOpen(state)) return to(model, reply(command.id, null));
  const settling = settle(model, state, command.message);
  const turnId = settling.model.run?.turn.id ?? '';
  return { ...settling, model: watching(settling.model, command.id, turnId) };
}
