import { cancelled } from '../queue.ts';
import { refusal } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { andThen, to, type Transition } from '../transition.ts';

/** Gives the session a title that stays. */
export function rename(model: SessionModel, { id: commandId, title }: CommandOf<'rename'>): Transition {
  const error = refusal(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const reply = { type: 'reply', commandId, turn: null, when: 'saved' } as const;
  return to({ ...model, title }, { type: 'save-soon' }, reply);
}

/** Keeps what a person has typed. */
export function setDraft(model: SessionModel, { draft }: CommandOf<'set-draft'>): Transition {
  return draft === model.draft ? to(model) : to({ ...model, draft }, { type: 'save-soon' });
}

/** Puts an error aside, and lets the queue go on. */
export function clearError(model: SessionModel): Transition {
  return model.phase === 'open' ? to({ ...model, error: null, isHeld: false }) : to(model);
}

/** Takes a message off the queue. */
export function cancelQueued(model: SessionModel, { queuedId }: CommandOf<'cancel-queued'>): Transition {
  return andThen(
    cancelled(model, ({ turn }) => turn.id === queuedId),
    (next) => to(next, { type: 'save-soon' }),
  );
}
