import { expect, it } from 'vitest';
import { blankSession } from '@vitrine/testing/internal/blank-session';
import { fakeStorage } from '@vitrine/testing/internal/session.fixture';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { localStorageRows } from '../drivers/local-storage/local-storage-rows.ts';
import type { QueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import { rowSessions } from './row-sessions.ts';

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
