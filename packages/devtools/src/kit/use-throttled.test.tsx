import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useThrottled } from './use-throttled.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the text of a live region', () => {
  it('a live region changes at most once a second to the latest value, and at once when its subject changes', () => {
    const announced: number[] = [];
    const hook = renderHook(
      ({ value, about }) => {
        const shown = useThrottled(value, about);
        if (announced.at(-1) !== shown) announced.push(shown);
      },
      { initialProps: { value: 0, about: 'a' } },
    );
    for (let value = 1; value <= 30; value++) {
      act(() => vi.advanceTimersByTime(100));
      hook.rerender({ value, about: 'a' });
    }
    expect(announced).toEqual([0, 10, 20]);
    hook.rerender({ value: 99, about: 'b' });
    expect(announced.at(-1)).toBe(99);
    hook.unmount();
    expect(vi.getTimerCount()).toBe(0);
  });
});
