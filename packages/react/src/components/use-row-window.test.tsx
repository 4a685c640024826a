import { renderHook, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useRowWindow } from './use-row-window.ts';

// As where a page has lost its network before it came.
vi.mock('./virtual-rows.ts', () => {
  throw new Error('It cannot be loaded');
});

const scroller = { current: null };
const rowsOf = (
  first: number,
): { readonly at: () => readonly number[]; readonly grow: (to: number) => void } => {
  const { result, rerender } = renderHook(
    ({ count }: { readonly count: number }) => useRowWindow(count, scroller, () => true),
    { initialProps: { count: first } },
  );
  return { at: () => result.current.rows.map(({ index }) => index), grow: (count) => rerender({ count }) };
};

it('a long conversation is opened at its end, and is whole where nothing can tell what is seen of it', async () => {
  const { at } = rowsOf(1000);
  expect(at()).toEqual(Array.from({ length: 40 }, (_, index) => 960 + index));
  await waitFor(() => expect(at()).toHaveLength(1000));
});

it('one that grows long while it is read loses nothing', async () => {
  const { at, grow } = rowsOf(199);
  for (const count of [200, 201, 202]) {
    grow(count);
    expect(at()).toHaveLength(count);
  }
  await waitFor(() => expect(at()).toHaveLength(202));
});
