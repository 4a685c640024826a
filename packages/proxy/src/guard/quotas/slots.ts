import { inTime, type Limiter, stateOf } from './limiter.ts';

/** Places of a principal for concurrent requests and streams. */
export type Slots = {
  /** Takes a place and returns the function that frees it; null when all are taken. Rejects when the limiter fails. */
  readonly take: (key: string) => Promise<(() => Promise<void>) | null>;
};

/**
 * Creates `max` places per key, each with a limiter key of one point. The caller that gets the point has the place.
 * With a limiter that has a duration a place is a lease, so the places of a dead process become free.
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
    const { msBeforeNext } = await inTime(limiter.consume(name), (late) => {
      if (late.status === 'fulfilled') void limiter.delete(name).catch(() => undefined);
    });
    const endsAt = msBeforeNext > 0 ? performance.now() + msBeforeNext : Infinity;
    return async () => {
      // After the lease another request may have the place.
      if (performance.now() < endsAt) await limiter.delete(name);
    };
  } catch (rejection) {
    if (stateOf(rejection) === null) throw rejection;
    return null;
  }
}
