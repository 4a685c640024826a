import type { ErrorInfo } from '../../graph/error-info.ts';
import type { Turn } from '../agent-session.ts';
import { newTurn } from './new-turn.ts';
import type { SessionEffect } from './session-effect.ts';
import type { SessionModel } from './session-model.ts';

/** What an input makes of the model, and what is to be done. */
export type Transition = { readonly model: SessionModel; readonly effects: readonly SessionEffect[] };

export function to(model: SessionModel, ...effects: readonly SessionEffect[]): Transition {
  return { model, effects };
}

/** One transition and then another from where it leads. */
export function andThen(first: Transition, next: (model: SessionModel) => Transition): Transition {
  const second = next(first.model);
  return { model: second.model, effects: [...first.effects, ...second.effects] };
}

/** Refuses a command: who asked learns why, in a turn of its own. */
export function refuse(
  model: SessionModel,
  { id, kind, error }: { id: string; kind: Turn['kind']; error: ErrorInfo },
): Transition {
  return to(model, reply(id, { ...newTurn(id, kind, 'refused'), error }));
}

export function reply(commandId: string, turn: Turn | null, when: 'now' | 'saved' = 'now'): SessionEffect {
  return { type: 'reply', commandId, turn, when };
}

/** Who asked is told when the turn ends or waits. */
export function watching(model: SessionModel, commandId: string, turnId: string): SessionModel {
  return { ...model, watchers: [...model.watchers, { commandId, turnId }] };
}

/** Tells all who wait for the turns what became of them. */
export function tell(model: SessionModel, turns: readonly Turn[], when: 'now' | 'saved' = 'now'): Transition {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const told = model.watchers.filter(({ turnId }) => byId.has(turnId));
  const watchers = model.watchers.filter(({ turnId }) => !byId.has(turnId));
  const replies = told.map(({ commandId, turnId }) => reply(commandId, byId.get(turnId) ?? null, when));
  return to({ ...model, watchers }, ...replies);
}
