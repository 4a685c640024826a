import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import type { TabLink } from '@vitrine/core/internal/session/store/tab-link';

/** Counts the points between two awaits at which a device may crash, and crashes one at each given number. */
export type CrashPoints = {
  /** Counts a point. @returns true when a device crashes here; `crash` ends it */
  readonly isReached: (crash: () => void) => boolean;
  readonly count: () => number;
};

export function crashPoints(at: readonly number[]): CrashPoints {
  let points = 0;
  return {
    isReached(crash) {
      points += 1;
      if (!at.includes(points)) return false;
      crash();
      return true;
    },
    count: () => points,
  };
}

/** A store whose page may die before and after each use; a dead page gets no answer. */
export function mortalStore(store: SessionStore, isDead: () => boolean): SessionStore {
  const never = new Promise<never>(() => undefined);
  const mortal =
    <Args extends readonly unknown[], Value>(operation: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      if (isDead()) return never;
      try {
        const value = await operation(...args);
        return isDead() ? await never : value;
      } catch (thrown) {
        return isDead() ? never : Promise.reject(thrown);
      }
    };
  const { outbox } = store;
  return {
    ...store,
    load: mortal(store.load),
    save: mortal(store.save),
    takeEpoch: mortal(store.takeEpoch),
    append: mortal(store.append),
    outbox: { put: mortal(outbox.put), take: mortal(outbox.take), drop: mortal(outbox.drop) },
  };
}

/** A link whose tab may die with each message that it sends or receives. */
export function mortalLink(link: TabLink, isDead: () => boolean): TabLink {
  return {
    lock: link.lock,
    open(name, onMessage) {
      const channel = link.open(name, (message) => (isDead() ? undefined : onMessage(message)));
      return { ...channel, post: (message) => (isDead() ? undefined : channel.post(message)) };
    },
  };
}
