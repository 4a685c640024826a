import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useUnhurried } from './use-unhurried.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what is read aloud', () => {
  it('changes once a second at most, to what is so then, and at once when it is about something else', () => {
    const told: number[] = [];
    const hook = renderHook(
      ({ value, about }) => {
        const shown = useUnhurried(value, about);
        if (told.at(-1) !== shown) told.push(shown);
      },
      { initialProps: { value: 0, about: 'a' } },
    );
    for (let value = 1; value <= 30; value++) {
      act(() => vi.advanceTimersByTime(100));
      hook.rerender({ value, about: 'a' });
    }
    expect(told).toEqual([0, 10, 20]);
    hook.rerender({ value: 99, about: 'b' });
    expect(told.at(-1)).toBe(99);
    hook.unmount();
    expect(vi.getTimerCount()).toBe(0);
  });
});
