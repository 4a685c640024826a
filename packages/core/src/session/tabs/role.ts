import type { SessionModel } from '../machine/session-model.ts';

/** What a tab is among others: `opening` has the lock and reads what is stored, `handing` is about to give it back. */
export type Role = 'joining' | 'follower' | 'opening' | 'runner' | 'handing' | 'gone';

/** True when nothing goes on, nor will by itself: another tab may run the session. */
export function isAtRest({ run, moves, retry }: SessionModel): boolean {
  return run === null && moves.length === 0 && retry === null;
}
