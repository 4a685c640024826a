import type { AgentState } from '../../../graph/types.ts';
import { needsRun } from '../../../run/answer-call.ts';
import { idle, unsettled } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { isOpen, isWaiting } from '../state-facts.ts';
import { newTurn } from '../new-turn.ts';
import { refuse, reply, to, type Transition, watching } from '../transition.ts';

/** Continues the run that a reload interrupted, or releases a held queue. */
export function resume(model: SessionModel, command: CommandOf<'resume'>, state: AgentState): Transition {
  const { id, isAutomatic } = command;
  const error = unsettled(model);
  if (error !== null) return refuse(model, { id, kind: 'resume', error });
  if (model.run !== null) return to(watching(model, id, model.run.turn.id));
  const [head] = model.queue;
  if (isOpen(state)) {
    if (isWaiting(state) && !needsRun(state)) return to(model, reply(id, model.paused?.turn ?? null));
    const paused = model.paused ?? { turn: newTurn(id, 'resume'), options: {}, steered: [] };
    return to(watching({ ...model, paused, goesOn: true }, id, paused.turn.id));
  }
  if (head === undefined) return refuse(model, { id, kind: 'resume', error: idle() });
  // A person sees the error before the queue continues.
  if (isAutomatic && model.error !== null) return refuse(model, { id, kind: 'resume', error: model.error });
  return to(watching({ ...model, isHeld: false }, id, head.turn.id));
}
