import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type LimiterState, memoryLimiter } from './limiter.ts';
import { reserve } from './quotas.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const hour = 3_600_000;

it.each([
  ['back', -hour],
  ['forward', hour],
])('a clock that is set %s gives no points and takes none', async (_way, change) => {
  const limiter = memoryLimiter(10, 60);
  const reserved = await reserve(limiter, 'ann', 8);
  vi.setSystemTime(Date.now() + change);
  const refused = await limiter.consume('ann', 3).catch((state: LimiterState) => state);
  expect(refused.consumedPoints).toBe(11);
  expect(refused.msBeforeNext).toBeLessThanOrEqual(60_000);
  expect(refused.msBeforeNext).toBeGreaterThan(50_000);
  if ('settle' in reserved) await reserved.settle(1);
  expect(await limiter.penalty('ann', 0)).toMatchObject({ consumedPoints: 4, remainingPoints: 6 });
});

it('a window ends after its time, and the next one has all points and no more', async () => {
  const limiter = memoryLimiter(5, 0.05);
  const reserved = await reserve(limiter, 'ann', 5);
  await expect(limiter.consume('ann')).rejects.toMatchObject({ consumedPoints: 6, remainingPoints: 0 });
  await vi.waitFor(async () => expect(await limiter.consume('ann', 0)).toMatchObject({ consumedPoints: 0 }));
  // The points that the old window reserved do not return into this one.
  if ('settle' in reserved) await reserved.settle(0);
  expect(await limiter.penalty('ann', 0)).toMatchObject({ consumedPoints: 0 });
});

it('points that come back into a window that has just begun are taken again', async () => {
  const limiter = memoryLimiter(5, 60);
  const delayed = { ...limiter, consume: async () => ({ msBeforeNext: 60_000 }) };
  const reserved = await reserve(delayed, 'ann', 5);
  if ('settle' in reserved) await reserved.settle(0);
  expect(await limiter.penalty('ann', 0)).toMatchObject({ consumedPoints: 0 });
});

it('a limiter without a time counts for ever', async () => {
  const limiter = memoryLimiter(1, 0);
  expect(await limiter.consume('ann')).toMatchObject({ msBeforeNext: -1 });
  await expect(limiter.consume('ann')).rejects.toMatchObject({ msBeforeNext: -1 });
  expect(await limiter.delete('ann')).toBe(true);
  await limiter.consume('ann');
});
