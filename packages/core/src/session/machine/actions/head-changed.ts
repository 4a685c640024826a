import type { AgentState } from '../../../graph/types.ts';
import { cancelled, restored, unbegun } from '../queue.ts';
import type { OutcomeOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { andThen, to, type Transition } from '../transition.ts';

/**
 * Merges the title, draft and queue that another device has stored, where this one has not changed them since. The run
 * goes on: its messages are as it knows them.
 */
export function headChanged(
  model: SessionModel,
  { before, after }: OutcomeOf<'head-changed'>,
  state: AgentState,
): Transition {
  const isRenamed = before.title !== after.title && (model.title ?? before.title) === before.title;
  const isTyped = before.draft !== after.draft && model.draft === before.draft;
  const known = new Set(
    [...before.queue, ...unbegun(model).map(({ message }) => message)].map(({ id }) => id),
  );
  const added = restored(
    after.queue.filter(({ id }) => !known.has(id)),
    state,
  );
  const merged: SessionModel = {
    ...model,
    title: isRenamed ? after.title : model.title,
    draft: isTyped ? after.draft : model.draft,
    queue: [...model.queue, ...added],
    isHeld: model.isHeld || (added.length > 0 && model.run === null && model.queue.length === 0),
  };
  const there = new Set(after.queue.map(({ id }) => id));
  const removed = new Set(before.queue.flatMap(({ id }) => (there.has(id) ? [] : [id])));
  return andThen(to(merged), (next) => cancelled(next, ({ message }) => removed.has(message.id)));
}
