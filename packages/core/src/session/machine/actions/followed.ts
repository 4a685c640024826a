import type { OutcomeOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { mirrored } from '../tab-view.ts';
import { to, type Transition } from '../transition.ts';

/** Another tab runs the session: what it tells is taken up, and nothing begins here. */
export function followed(model: SessionModel, { document, events, view }: OutcomeOf<'followed'>): Transition {
  const next: SessionModel = { ...model, ...mirrored(view), isFollowing: true };
  if (document === null && events.length === 0) return to(next);
  return to(next, { type: 'follow', document, events });
}
