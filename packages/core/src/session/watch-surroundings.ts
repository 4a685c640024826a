import { onPageHide, onPageLeave, onPageView } from '../kit/page-events.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { SessionInput } from './machine/session-input.ts';
import type { SessionModel } from './machine/session-model.ts';
import type { SessionStore } from './stores/session-store.ts';

/** Hears of the page and of the store that a session lives in: saves in time, tries again, sees that it was removed, or is back. */
export function watchSurroundings(options: {
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  readonly saver: Pick<SessionSaver, 'flush' | 'leave' | 'nudge' | 'wasRemoved' | 'isBack'>;
  readonly model: () => SessionModel;
  readonly post: (input: SessionInput) => void;
}): () => void {
  const { sessions, id, saver, model, post } = options;

  /** Another tab, or another part of this page, may delete the session, and take that back. */
  function onStoreChange(changed: string | null): void {
    saver.nudge();
    if (changed !== null && changed !== id()) return;
    if (model().phase === 'deleted')
      void saver.isBack().then((isBack) => isBack && post({ type: 'restored' }));
    else void saver.wasRemoved().then((isRemoved) => isRemoved && post({ type: 'deleted' }));
  }

  const ends = [
    onPageLeave(saver.leave),
    onPageHide(() => void saver.flush()),
    onPageView((isSeen) => (isSeen ? saver.nudge() : void saver.flush())),
    sessions?.subscribe?.(onStoreChange) ?? (() => undefined),
  ];
  return () => ends.forEach((end) => end());
}
