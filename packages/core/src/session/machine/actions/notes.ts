import { cancelled } from '../queue.ts';
import { refusal } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { andThen, to, type Transition } from '../transition.ts';

/** Sets a title that later messages do not replace. */
export function rename(model: SessionModel, { id: commandId, title }: CommandOf<'rename'>): Transition {
  const error = refusal(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const reply = { type: 'reply', commandId, turn: null, when: 'saved' } as const;
  return to({ ...model, title }, { type: 'save-soon' }, reply);
}

/** Stores the draft. */
export function setDraft(model: SessionModel, { draft }: CommandOf<'set-draft'>): Transition {
  return draft === model.draft ? to(model) : to({ ...model, draft }, { type: 'save-soon' });
}

/** Clears the error and releases the queue. */
export function clearError(model: SessionModel): Transition {
  return model.phase === 'open' ? to({ ...model, error: null, isHeld: false }) : to(model);
}

/** Removes a message from the queue. */
export function cancelQueued(model: SessionModel, { queuedId }: CommandOf<'cancel-queued'>): Transition {
  return andThen(
    cancelled(model, ({ turn }) => turn.id === queuedId),
    (next) => to(next, { type: 'save-soon' }),
  );
}
