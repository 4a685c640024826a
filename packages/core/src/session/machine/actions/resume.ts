import type { AgentState } from '../../../graph/types.ts';
import { needsRun } from '../../../run/answer-call.ts';
import { idle, unsettledRun } from '../refusals.ts';
import type { CommandOf, OutcomeOf } from '../session-input.ts';
import { isElsewhere, type SessionModel } from '../session-model.ts';
import { isOpen, isWaiting } from '../state-facts.ts';
import { newTurn } from '../new-turn.ts';
import { refuse, reply, to, type Transition, watching } from '../transition.ts';

/** Continues the run that a reload interrupted, or releases a held queue. */
export function resume(model: SessionModel, command: CommandOf<'resume'>, state: AgentState): Transition {
  const { id, isAutomatic } = command;
  const error = unsettledRun(model);
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

/** Offers to resume a run whose device is gone, or resumes it when the session does so by itself. */
export function otherGone(
  model: SessionModel,
  { resume: isAutomatic }: OutcomeOf<'other-gone'>,
  state: AgentState,
): Transition {
  if (!isElsewhere(model)) return to(model);
  const goesOn = isAutomatic && isOpen(state) && (!isWaiting(state) || needsRun(state));
  return to({ ...model, elsewhere: { isGone: true }, goesOn });
}
