import { type Limiter, waitOf } from './limiter.ts';

/** Points that are set aside before it is known how many are needed. */
export type Reservation = { readonly settle: (spent: number) => Promise<void> };

/**
 * Takes `points` at once, so that requests side by side cannot pass the limit together; what was not needed comes back
 * when it is settled, what was needed beyond is taken then.
 * @returns How long to wait, in milliseconds, when there are not so many left. Rejects when the limiter fails.
 */
export async function reserve(
  limiter: Limiter,
  key: string,
  points: number,
): Promise<Reservation | { readonly waitMs: number }> {
  const amount = Math.ceil(points);
  if (!(amount >= 0 && amount < Infinity)) throw new RangeError('A cost has to be a number from 0 on.');
  try {
    const { msBeforeNext } = await limiter.consume(key, amount);
    const endsAt = Date.now() + msBeforeNext;
    return {
      async settle(spent) {
        // What has no cost that can be counted has used all that was set aside.
        const rest = Number.isFinite(spent) ? amount - Math.ceil(spent) : 0;
        // Given back into a later window it would be more than that window allows.
        if (rest > 0 && (msBeforeNext <= 0 || Date.now() < endsAt)) await limiter.reward(key, rest);
        else if (rest < 0) await limiter.penalty(key, -rest);
      },
    };
  } catch (rejection) {
    const waitMs = waitOf(rejection);
    if (waitMs === null) throw rejection;
    // Limiters count what they refuse, too.
    await limiter.reward(key, amount);
    return { waitMs };
  }
}
