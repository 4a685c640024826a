import { inTime, type Limiter, type LimiterState, stateOf } from './limiter.ts';

/** Points that are reserved before the real cost is known. */
export type Reservation = {
  readonly settle: (spent: number) => Promise<void>;
  readonly state: LimiterState;
};

/**
 * Takes `points` at once, so that concurrent requests cannot pass the limit together. Settling returns unused points or
 * takes the missing ones.
 * @returns The state of the limiter when there are not so many left. Rejects when the limiter fails, or takes too long.
 */
export async function reserve(
  limiter: Limiter,
  key: string,
  points: number,
): Promise<Reservation | { readonly refused: LimiterState }> {
  const amount = Math.ceil(points);
  try {
    const taken = await inTime(limiter.consume(key, amount), (late) => {
      // Limiters count refused points as well.
      if (late.status === 'fulfilled' || stateOf(late.reason) !== null)
        void harmlessly(giveBack(limiter, key, amount));
    });
    const endsAt = performance.now() + taken.msBeforeNext;
    return {
      state: taken,
      async settle(spent) {
        // An unknown cost counts as all reserved points.
        const rest = Number.isFinite(spent) ? amount - Math.ceil(spent) : 0;
        // Points must not return into a later window, which would then exceed its limit.
        if (rest > 0 && (taken.msBeforeNext <= 0 || performance.now() < endsAt))
          await giveBack(limiter, key, rest);
        else if (rest < 0) await limiter.penalty(key, -rest);
      },
    };
  } catch (rejection) {
    const state = stateOf(rejection);
    if (state === null) throw rejection;
    void harmlessly(giveBack(limiter, key, amount));
    const { msBeforeNext, consumedPoints } = state;
    if (consumedPoints === undefined) return { refused: state };
    const remainingPoints = Math.max(0, limiter.points + amount - consumedPoints);
    return { refused: { msBeforeNext, remainingPoints } };
  }
}

/** Returns points. A window that began in between must not exceed its points, so the surplus is taken again. */
async function giveBack(limiter: Limiter, key: string, points: number): Promise<void> {
  const used = stateOf(await limiter.reward(key, points))?.consumedPoints ?? 0;
  if (used < 0) await limiter.penalty(key, -used);
}

async function harmlessly(done: Promise<void>): Promise<void> {
  await done.catch(() => undefined);
}
