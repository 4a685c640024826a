import { renderHook, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useRowWindow } from './use-row-window.ts';

// Simulates a page that went offline before this module loaded.
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

it('a long conversation shows its last 40 messages, and all messages when the virtualizer fails to load', async () => {
  const { at } = rowsOf(1000);
  expect(at()).toEqual(Array.from({ length: 40 }, (_, index) => 960 + index));
  await waitFor(() => expect(at()).toHaveLength(1000));
});

it('a conversation that grows long while it is open keeps all messages', async () => {
  const { at, grow } = rowsOf(199);
  for (const count of [200, 201, 202]) {
    grow(count);
    expect(at()).toHaveLength(count);
  }
  await waitFor(() => expect(at()).toHaveLength(202));
});
