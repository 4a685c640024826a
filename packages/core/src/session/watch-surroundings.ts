import { onPageHide, onPageLeave, onPageView } from '../kit/page-events.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { SessionInput } from './machine/session-input.ts';
import type { SessionModel } from './machine/session-model.ts';
import type { SessionStore } from './stores/session-store.ts';

/**
 * Watches the page and the store of a session: saves in time, repeats failed writes, and detects deletion and
 * its undoing.
 */
export function watchSurroundings(options: {
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  /** Called when other tabs may have put commands into the store. */
  readonly lookForCommands: () => void;
  readonly saver: Pick<SessionSaver, 'flush' | 'leave' | 'nudge' | 'wasRemoved' | 'isBack'>;
  readonly model: () => SessionModel;
  readonly post: (input: SessionInput) => void;
}): () => void {
  const { sessions, id, saver, model, post } = options;

  /**
   * Checks the stored session after a change. Another tab, or another part of this page, may delete it or
   * undo that.
   */
  function onStoreChange(changed: string | null): void {
    saver.nudge();
    if (changed !== null && changed !== id()) return;
    options.lookForCommands();
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
