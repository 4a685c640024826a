import { type Limiter, waitOf } from './limiter.ts';

/** Places of a principal for streams that run at once. */
export type Slots = {
  /** Gives a place and what frees it again; null when all are taken. Rejects when the limiter fails. */
  readonly take: (key: string) => Promise<(() => Promise<void>) | null>;
};

/**
 * `max` places for each key, each a key of its own with one point: whoever gets the point has the place. With a limiter
 * that has a duration a place is a lease, so that a process that dies frees its places after it.
 */
export function createSlots(max: number, limiter: Limiter): Slots {
  return {
    async take(key) {
      for (let place = 0; place < max; place++) {
        const name = `${key}:${place}`;
        const free = await tryTake(name, limiter);
        if (free) return free;
      }
      return null;
    },
  };
}

async function tryTake(name: string, limiter: Limiter): Promise<(() => Promise<void>) | null> {
  try {
    const { msBeforeNext } = await limiter.consume(name);
    const endsAt = msBeforeNext > 0 ? Date.now() + msBeforeNext : Infinity;
    return async () => {
      // Once the lease is over the place may be another's.
      if (Date.now() < endsAt) await limiter.delete(name);
    };
  } catch (rejection) {
    if (waitOf(rejection) === null) throw rejection;
    return null;
  }
}
