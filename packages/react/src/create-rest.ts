import type { AgentSession, SessionSnapshot } from '@vitrine/core';
import type { FlushResult } from '@vitrine/core/types';

/** Puts an unused session to rest: its timers and subscriptions end. */
export type Rest = {
  /** Rests after the current task, unless a component uses the session by then. */
  readonly soon: () => void;
  /** Rests at once: timers and subscriptions of the session end. */
  readonly begin: () => Promise<FlushResult>;
  /** Ends the rest. Returns true if the session rested, so the caller has to continue it. */
  readonly end: () => boolean;
};

type Resting = {
  readonly live: () => AgentSession;
  readonly isUsed: () => boolean;
  /** Called with true while the session must be kept in memory. */
  readonly onHold: (isHeld: boolean) => void;
};

/** Lets running work end and be saved, then puts the session to rest. */
export function createRest({ live, isUsed, onHold }: Resting): Rest {
  let isResting = false;
  let unwatch: (() => void) | null = null;

  // Deferred, because StrictMode and moves within the tree detach and attach again in the same task.
  const soon = (): void => void setTimeout(() => void whenSettled(), 0);
  const mayRest = (): boolean => !isResting && !isUsed();

  /**
   * Reads the session itself: its published snapshot may be a frame old, and a request may have come since.
   */
  async function whenSettled(): Promise<void> {
    unwatch?.();
    unwatch = null;
    if (!mayRest()) return;
    if (live().isSettled()) return void (await begin());
    // A running session saves at its own pace, so there is no flush here.
    if (!isRunning(live().store.getState())) {
      // The store may be slow. A component that returns in the meantime gets this same session.
      await live().ready;
      await live().flush();
      if (!mayRest()) return;
      if (live().isSettled()) return void (await begin());
    }
    // The end of a run or a failure changes the snapshot. Commands call `soon` when they settle.
    unwatch ??= live().store.subscribe(soon);
  }

  async function begin(): Promise<FlushResult> {
    isResting = true;
    unwatch?.();
    unwatch = null;
    onHold(false);
    return live().dispose();
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

function isRunning({ status }: SessionSnapshot): boolean {
  return status === 'submitted' || status === 'streaming';
}
