import type { SessionModel } from '../machine/session-model.ts';

/**
 * The role of a tab: `opening` holds the lock and reads the store, `handing` is about to release
 * the lock.
 */
export type TabRole = 'joining' | 'follower' | 'opening' | 'leader' | 'handing' | 'gone';

/** True when no work is active or scheduled, so another tab may take over the session. */
export function isAtRest({ run, conflict, moves, retry }: SessionModel): boolean {
  return run === null && conflict?.phase !== 'reading' && moves.length === 0 && retry === null;
}
