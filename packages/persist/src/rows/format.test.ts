import { afterEach, expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fakeStorage, shownTexts } from '@vitrine/testing/internal/session.fixture';
import { localStorageRows } from '../drivers/local-storage/local-storage-rows.ts';
import type { SessionHead, SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { rowSessions } from './row-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { openSealed, sealedText } from './head.ts';

type Library = {
  readonly store: SessionStore;
  readonly createAgentSession: typeof import('@vitrine/core/internal/session/create-agent-session').createAgentSession;
  readonly renameSession: typeof import('../manage/change-sessions.ts').renameSession;
  readonly exportSession: typeof import('../manage/export-session.ts').exportSession;
};

/** Loads the library as it will be `later` formats from now; each version adds its number to the title. */
async function library(later: number, storage: Storage): Promise<Library> {
  vi.resetModules();
  const { sessionFormat } = await vi.importActual<typeof import('./format.ts')>('./format.ts');
  const format = sessionFormat + later;
  const step =
    (from: number) =>
    ({ summary, ...head }: { readonly [field: string]: unknown }) => {
      const { title, ...rest } = summary as SessionHead;
      return { ...head, format: from + 1, summary: { ...rest, title: `${title} (${from} to ${from + 1})` } };
    };
  const steps = Object.fromEntries(
    Array.from({ length: later }, (_, at) => [sessionFormat + at, step(sessionFormat + at)]),
  );
  vi.doMock('./format.ts', () => ({
    sessionFormat: format,
    headChain: { kind: 'session', field: 'format', version: format, steps },
  }));
  const [{ localStorageSessions }, { createAgentSession }, { renameSession }, { exportSession }] =
    await Promise.all([
      import('../drivers/local-storage/local-storage-rows.ts'),
      import('@vitrine/core/internal/session/create-agent-session'),
      import('../manage/change-sessions.ts'),
      import('../manage/export-session.ts'),
    ]);
  const store = localStorageSessions({ storage });
  // The code that loads with the first call must be of this version too.
  await store.list();
  return { store, createAgentSession, renameSession, exportSession };
}

afterEach(() => {
  vi.doUnmock('./format.ts');
  vi.resetModules();
});

async function talk({ store, createAgentSession }: Library, text: string): Promise<string[]> {
  const agent = scriptedAgent([{ text: 'Yes.' }]);
  const session = createAgentSession({ agent, sessions: store, sessionId: 'a' });
  await session.sendMessage(text);
  await session.dispose();
  return shownTexts(session);
}

it('a session continues through the formats of three versions, and each older one leaves it unchanged', async () => {
  const storage = fakeStorage();
  const present = await library(0, storage);
  await talk(present, 'One');
  await present.renameSession(present.store, 'a', 'Mine');
  const before = [...storage.items];

  const last = await library(2, storage);
  const titles = async (): Promise<unknown> =>
    (await last.store.list()).sessions.map(({ title, status }) => [title, status]);
  expect(await titles()).toEqual([['Mine (1 to 2) (2 to 3)', 'active']]);
  expect(loadedSession(await last.store.load('a'))).toMatchObject({ title: 'Mine (1 to 2) (2 to 3)' });
  expect([...storage.items]).toEqual(before);

  const next = await library(1, storage);
  expect(await talk(next, 'Two')).toEqual(['One', 'Yes.', 'Two', 'Yes.']);
  await next.renameSession(next.store, 'a', 'Ours');
  expect(await titles()).toEqual([['Ours (2 to 3)', 'active']]);

  const written = [...storage.items];
  const { store } = present;
  expect((await store.list()).sessions).toMatchObject([{ id: 'a', title: 'Ours', status: 'newer' }]);
  const agent = scriptedAgent([{ text: 'Never.' }]);
  const view = present.createAgentSession({ agent, sessions: store, sessionId: 'a' });
  const refused = await view.sendMessage('Three');
  expect(refused).toMatchObject({ status: 'refused', error: { code: 'state-version-unsupported' } });
  await view.dispose();
  await expect(present.renameSession(store, 'a', 'x')).rejects.toMatchObject({ data: { version: 2 } });
  expect(await present.exportSession(store, 'a')).toMatchObject({ $schema: 'vitrine/raw-session' });
  expect([...storage.items]).toEqual(written);
  expect(await talk(last, 'Three')).toHaveLength(6);
});

it('a head older than the first migration step is broken for this version, not newer', async () => {
  const storage = fakeStorage();
  await talk(await library(0, storage), 'One');
  const rows = localStorageRows({ storage });
  const head = (await rows.head('a'))!;
  const older = sealedText({ ...(openSealed(head.text, 'head') as object), format: 0 });
  await rows.append('a', { expected: head, record: null, head: older, isStrict: false });
  const store = rowSessions(rows);
  const listed = async (): Promise<unknown> => (await store.list()).sessions.map(({ status }) => status);
  expect(await listed()).toEqual(['broken']);
  await expect(store.load('a')).rejects.toMatchObject({ message: expect.stringMatching(/No migration/) });
  expect(await listed()).toEqual(['broken']);
});
