import type { AgentSession, SessionSnapshot } from '@vitrine/core';
import type { StoreApi } from 'zustand/vanilla';
import { isQuiet } from './rest.ts';

/** When a session that nobody uses comes to rest. */
export type Rest = {
  /** Comes to rest in a moment, unless somebody uses the session until then. */
  readonly soon: () => void;
  /** Comes to rest at once: timers and subscriptions of the session end. */
  readonly begin: () => Promise<void>;
  /** True when it was resting: the session has to go on from where it was. */
  readonly end: () => boolean;
};

type Resting = {
  readonly store: () => StoreApi<SessionSnapshot>;
  readonly live: () => AgentSession;
  readonly isUsed: () => boolean;
  readonly isStored: boolean;
  /** Told while there is something that must not be forgotten. */
  readonly onHold: (isHeld: boolean) => void;
};

/** What goes on goes on until it has ended and is saved; then the session rests. */
export function createRest({ store, live, isUsed, isStored, onHold }: Resting): Rest {
  let isResting = false;
  let unwatch: (() => void) | null = null;

  // Not at once: StrictMode and moves within a tree leave and come back in the same turn.
  const soon = (): void => void setTimeout(() => void whenQuiet(), 0);
  const mayRest = (): boolean => !isResting && !isUsed();

  async function whenQuiet(): Promise<void> {
    unwatch?.();
    unwatch = null;
    if (!mayRest()) return;
    if (!isQuiet(store().getState(), isStored)) {
      unwatch = store().subscribe((snapshot) => isQuiet(snapshot, isStored) && soon());
      return;
    }
    // A store may be slow; who comes back meanwhile finds this very session.
    await live().flush();
    if (mayRest()) await (isQuiet(store().getState(), isStored) ? begin() : whenQuiet());
  }

  async function begin(): Promise<void> {
    isResting = true;
    onHold(false);
    await live().dispose();
  }

  return {
    soon,
    begin,
    end() {
      if (!isResting) return false;
      isResting = false;
      onHold(true);
      return true;
    },
  };
}
