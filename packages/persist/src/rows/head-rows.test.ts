import { expect, it } from 'vitest';
import { blankSession } from '@vitrine/testing/internal/blank-session';
import { fakeStorage } from '@vitrine/testing/internal/session.fixture';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { localStorageRows } from '../drivers/local-storage/local-storage-rows.ts';
import type { QueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import { openSealed, sealedText } from './head.ts';
import { rowSessions } from './row-sessions.ts';
import { leaf } from './row.ts';

function messageOf(at: number): QueuedMessage {
  return { id: `m${at}`, text: `${at} ${'x'.repeat(5000)}`, isSteered: false };
}

/** Saves and appends a queue that gets so many messages, one by one. @returns the characters that were written */
async function written(count: number): Promise<number> {
  const storage = fakeStorage();
  let characters = 0;
  const setItem = storage.setItem.bind(storage);
  storage.setItem = (key, text) => {
    characters += text.length;
    setItem(key, text);
  };
  const store = rowSessions(localStorageRows({ storage }));
  const { journal, ...blank } = blankSession('a');
  await store.save({ ...blank, journal }, { expectedVersion: 0 });
  const queue: QueuedMessage[] = [];
  for (let at = 0; at < count; at++) {
    queue.push(messageOf(at));
    const head = { ...blank, queue: [...queue] };
    if (at % 2 === 0) await store.save({ ...head, journal }, { expectedVersion: at + 1 });
    else {
      const place = { journalId: journal.id, events: [] };
      await store.append('a', { ...place, head, expectedVersion: at + 1 });
    }
  }
  expect(loadedSession(await store.load('a'))?.queue).toEqual(queue);
  return characters;
}

it('a message that waits is written once, however many wait before it', async () => {
  expect((await written(40)) / (await written(20))).toBeLessThan(2.5);
});

it('a queue in one row, as earlier versions wrote it, is read, and its messages get rows of their own', async () => {
  const rows = localStorageRows({ storage: fakeStorage() });
  const queue = [messageOf(1), messageOf(2)];
  await rowSessions(rows).save(blankSession('a', { queue }), { expectedVersion: 0 });
  const stored = await rows.read('a');
  if (stored === null) throw new Error('It is not stored.');
  const whole = leaf('hed', queue);
  const head = openSealed(stored.text, 'head') as { readonly rows: object };
  const own = [...stored.rows.keys()].filter((name) => name.startsWith('hed.'));
  expect(own).toHaveLength(2);
  await rows.write('a', {
    expected: stored,
    head: sealedText({ ...head, rows: { queue: whole.name } }),
    put: new Map([[whole.name, whole.text ?? '']]),
    drop: own,
  });
  const store = rowSessions(rows);
  const found = loadedSession(await store.load('a'));
  expect(found?.queue).toEqual(queue);
  const next = [...queue, messageOf(3)];
  await store.save(blankSession('a', { queue: next }), { expectedVersion: found?.version ?? 0 });
  expect(loadedSession(await store.load('a'))?.queue).toEqual(next);
  const names = [...((await rows.read('a'))?.rows.keys() ?? [])].filter((name) => name.startsWith('hed.'));
  expect(names).toHaveLength(3);
  expect(names).not.toContain(whole.name);
});
