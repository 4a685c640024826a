import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createThrottle } from './use-throttled.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a throttled value', () => {
  it('a throttled value is published once per interval with its latest value, and not after unsubscribing', () => {
    let value = 0;
    let change = (): void => undefined;
    const source = (listener: () => void): (() => void) => {
      change = listener;
      return () => (change = () => undefined);
    };
    const live = createThrottle(
      source,
      () => value,
      () => 100,
    );
    const seen: number[] = [];
    const leave = live.subscribe(() => seen.push(live.getSnapshot()));
    for (value = 1; value < 1000; value++) {
      change();
      expect(live.getSnapshot()).toBe(Math.floor((value - 1) / 100) * 100);
      vi.advanceTimersByTime(1);
    }
    expect(seen).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900]);
    change();
    leave();
    vi.advanceTimersByTime(1000);
    expect(seen).toHaveLength(9);
  });
});
