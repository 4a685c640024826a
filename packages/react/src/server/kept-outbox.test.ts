// @vitest-environment node
import type { OutboxCommand } from '@vitrine/persist';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keptOutbox } from './kept-outbox.ts';

/** The storage of a page, which counts the characters that are written to it. */
function countStorage(): { readonly written: () => number; readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  let written = 0;
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, value: string) {
      written += value.length;
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
    key: (at: number) => [...kept.keys()][at] ?? null,
    get length() {
      return kept.size;
    },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return { written: () => written, kept };
}

const renamed = (id: string, length = 1): OutboxCommand => ({
  type: 'rename',
  title: 'x'.repeat(length),
  id,
});

it('a command that a page keeps writes no other command of its session again', async () => {
  const { written, kept } = countStorage();
  const outbox = keptOutbox('/api');
  for (let at = 0; at < 20; at++) await outbox.put('s1', renamed(`c${at}`, 1000));
  expect(written()).toBeLessThan(20 * 1100);
  await outbox.drop('s1', ['c0', 'c7']);
  expect(written()).toBeLessThan(20 * 1100);
  expect(kept.size).toBe(18);
});

it('commands that a page keeps come back in their order, for their session and person', async () => {
  const { kept } = countStorage();
  const outbox = keptOutbox('/api');
  const ids = Array.from({ length: 12 }, (_, at) => `c:${12 - at}`);
  for (const id of ids) await outbox.put('s:1', renamed(id));
  await outbox.put('s', renamed('other'));
  outbox.setPerson('anna', 's:1');
  const later = keptOutbox('/api');
  await later.put('s:1', renamed('c:5', 2));
  expect((await later.take('s:1')).map(({ id }) => id)).toEqual(ids);
  expect((await later.take('s')).map(({ id }) => id)).toEqual(['other']);
  later.setPerson('bob', 's:1');
  expect(await later.take('s:1')).toEqual([]);
  expect(later.giverOf('s:1', 'c:5')).toBe('anna');
  await later.drop('s:1', ids);
  await later.drop('s', ['other']);
  expect([...kept.values()]).toEqual(['bob']);
});
