import type { OutcomeOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { mirrored } from '../tab-view.ts';
import { to, type Transition } from '../transition.ts';

/** Takes the message of the leader into a following session, in which nothing begins. */
export function followed(model: SessionModel, { document, events, view }: OutcomeOf<'followed'>): Transition {
  const next: SessionModel = { ...model, ...mirrored(view), isFollowing: true, isUnheard: false };
  if (document === null && events.length === 0) return to(next);
  return to(next, { type: 'follow', document, events });
}
