import type { SessionLink } from '../link/session-link.ts';
import type { SessionSaver } from '../writer/session-saver.ts';
import type { AttachedSession } from '@vitrine/core/internal/session/persistence';
import { createRepeated, type Repeated } from './repeated.ts';

/** Pauses between reads of the store while another device runs the turn, in milliseconds. */
const pauses = { first: 2000, longest: 30_000 };
/** The time without a change after which the other device is taken to be gone, in milliseconds. */
const goneMs = 120_000;
/** The same while a message waits here for a run that has not answered yet. */
const freshGoneMs = 30_000;

/**
 * Watches the page and the store of a session: saves in time, repeats failed writes, and detects deletion and
 * its undoing. It follows the run of another device in the store.
 */
export function watchSurroundings(
  session: Pick<AttachedSession, 'env' | 'settings' | 'sessions' | 'id' | 'model' | 'post'>,
  { tabs, saver }: { readonly tabs: { readonly link: SessionLink | null }; readonly saver: SessionSaver },
) {
  const { env, settings, sessions, id, post } = session;
  let looking: Repeated | null = null;
  let movedAt = 0;

  const isOver = (): boolean => (session.model.elsewhere ?? null) === null;

  function patience(): number {
    const { leftToOthers, queue } = session.model;
    return leftToOthers?.isFresh === true && queue.length > 0 ? freshGoneMs : goneMs;
  }

  function endLooking(): void {
    looking?.stop();
    looking = null;
  }

  /** Takes up what the other device has stored, or notes that it is gone. */
  async function look(): Promise<void> {
    if (isOver()) return endLooking();
    const hasMoved = await saver.hasMoved();
    // While a conflict is resolved, the session is read anyway.
    if (isOver() || looking === null || (session.model.conflict ?? null) !== null) return;
    if (hasMoved === true) post({ type: 'overtaken', policy: 'rebase', forkId: env.id() });
    else if (hasMoved === false && env.monotonic() - movedAt >= patience())
      post({ type: 'other-gone', resume: settings().resume === true });
  }

  /**
   * Checks the stored session after a change. Another tab, or another part of this page, may delete it or undo that.
   */
  function onStoreChange(changed: string | null): void {
    saver.nudge();
    if (changed !== null && changed !== id()) return;
    tabs.link?.lookForCommands();
    if (looking !== null) void look();
    // A follower leaves the check to the leader, which reports it.
    if (tabs.link?.isFollowing === true) return;
    if (session.model.phase === 'deleted')
      void saver.isBack().then((isBack) => isBack && post({ type: 'restored' }));
    else void saver.wasRemoved().then((isRemoved) => isRemoved && post({ type: 'deleted' }));
  }

  function onSeen(): void {
    saver.nudge();
    if (looking !== null) void look();
  }

  const ends = [
    endLooking,
    // Before the page unloads the person may still stay.
    onWindow('beforeunload', () => saver.queue.leave()),
    onWindow('pagehide', () => void saver.queue.flush()),
    onPageView((isSeen) => (isSeen ? onSeen() : void saver.queue.flush())),
    sessions?.subscribe?.(onStoreChange) ?? (() => undefined),
  ];
  return {
    /** Reads the store now and then, until the run of another device has ended. */
    watchRun(): void {
      movedAt = env.monotonic();
      endLooking();
      looking = createRepeated(env, pauses, () => void look());
      looking.restart();
    },
    end: (): void => ends.forEach((end) => end()),
  };
}

/** Calls back with true when the page becomes visible or focused, and with false when it is hidden. */
function onPageView(listener: (isSeen: boolean) => void): () => void {
  const offFocus = onWindow('focus', () => listener(true));
  const page = typeof document === 'undefined' ? null : document;
  const onVisibility = (): void => listener(page?.visibilityState !== 'hidden');
  page?.addEventListener('visibilitychange', onVisibility);
  return () => {
    offFocus();
    page?.removeEventListener('visibilitychange', onVisibility);
  };
}

function onWindow(type: 'pagehide' | 'beforeunload' | 'focus', listener: () => void): () => void {
  // A test environment may end before the listener is removed, and takes the global and its methods away.
  const page = typeof window === 'undefined' ? null : window;
  if (typeof page?.addEventListener !== 'function') return () => undefined;
  page.addEventListener(type, listener);
  return () => page.removeEventListener?.(type, listener);
}
