import { messages } from '../../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../../graph/types.ts';
import { busy, idle, refusal } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { newTurn } from '../new-turn.ts';
import { refuse, to, type Transition, watching } from '../transition.ts';

/** Runs the last turn again; reads a stored session again that could not be read. */
export function retry(model: SessionModel, { id }: CommandOf<'retry'>, state: AgentState): Transition {
  if (model.phase === 'unreadable' && !model.isDisposed)
    return to({ ...model, phase: 'loading', error: null }, { type: 'open-again', commandId: id });
  const error =
    refusal(model) ?? (model.run === null ? null : busy()) ?? (messages(state).length === 0 ? idle() : null);
  if (error !== null) return refuse(model, { id, kind: 'retry', error });
  const turn = newTurn(id, 'retry');
  return to(watching({ ...model, retry: { turn, conflicts: 0 }, isHeld: false }, id, id));
}
