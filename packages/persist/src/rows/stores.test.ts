import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import * as Message from '@vitrine/core/internal/graph/message';
import { faultyStorage } from '@vitrine/testing/internal/faulty-storage.fixture';
import { fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fakeStorage, shownTexts } from '@vitrine/testing/internal/session.fixture';
import { sampleEvents, sampleSession } from '@vitrine/testing/internal/store-suite/sample-session';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { transportOf } from '../link/browser-tabs.ts';
import { browserSessions } from '../drivers/browser-sessions.ts';
import { indexedDBSessions } from '../drivers/indexed-db/indexed-db-rows.ts';
import { localStorageRows, localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { rowSessions } from './row-sessions.ts';
import { openSealed, sealedText } from './head.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

afterEach(() => vi.unstubAllGlobals());

const open = (sessions: SessionStore, text = 'Hello'): AgentSession =>
  createAgentSession({ agent: scriptedAgent([{ text }]), sessions, sessionId: 'a' });

describe.each<[string, () => SessionStore]>([
  ['memorySessions', memorySessions],
  ['localStorageSessions', () => localStorageSessions({ storage: fakeStorage() })],
  ['indexedDBSessions', () => indexedDBSessions({ name: 'stores' })],
])('%s', (_name, createStore) => {
  it('a store returns a session unchanged', async () => {
    const sessions = createStore();
    const first = open(sessions);
    await first.sendMessage('Hi there');
    first.setDraft('unsent');
    await first.dispose();
    const second = open(sessions, 'Again');
    await second.ready;
    expect(second.store.getState().state).toEqual(first.store.getState().state);
    expect(second.store.getState().draft).toBe('unsent');
    await second.sendMessage('More');
    expect(shownTexts(second)).toEqual(['Hi there', 'Hello', 'More', 'Again']);
    const { sessions: list } = await sessions.list();
    expect(list).toMatchObject([
      { id: 'a', title: 'Hi there', agentName: 'agent', executionStatus: 'completed' },
    ]);
    expect(list[0]).not.toHaveProperty('queue');
    await second.dispose();
    await sessions.remove('a');
    await sessions.remove('a');
    expect([loadedSession(await sessions.load('a')), await sessions.list()]).toEqual([
      null,
      { sessions: [], cursor: null },
    ]);
  });
});

describe('the durability of a small write', () => {
  it('exactly the events that a tool or a person waits for are written strictly', async () => {
    const rows = localStorageRows({ storage: fakeStorage() });
    const strict: [string, boolean][] = [];
    const sessions = rowSessions({
      ...rows,
      append(id, write) {
        const events = write.record === null ? [] : openSealed(write.record, 'record');
        for (const { type } of events as { readonly type: string }[]) strict.push([type, write.isStrict]);
        return rows.append(id, write);
      },
    });
    const env = fixedEnv();
    const { record } = await sampleSession('a', 1, env);
    let expectedVersion = await sessions.save(record, { expectedVersion: 0 });
    const types = ['approval-request', 'approval-answer', 'tool-start', 'tool-end', 'execution-end'] as const;
    const others = ['text-delta', 'step-start', 'message-add', 'inference-end'] as const;
    for (const [at, type] of [...types, ...others].entries()) {
      const events = [{ seq: 1000 + at, at: 1, path: [], type } as never];
      expectedVersion = await sessions.append('a', {
        expectedVersion,
        journalId: record.journal.id,
        events,
      });
    }
    expect(strict).toEqual([...types.map((type) => [type, true]), ...others.map((type) => [type, false])]);
  });
});

describe('the error of a stale write', () => {
  it('a conflict names the version that differs, the epoch that is newer, or the journal that is another', async () => {
    const store = memorySessions();
    const session = open(store);
    await session.sendMessage('Hi');
    await session.dispose();
    const record = loadedSession(await store.load('a'))!;
    const { version, epoch = 0 } = record;
    const append = { journalId: 'another', events: [] };
    const write = (expectedVersion: number, writer: number): Promise<string> =>
      store.append('a', { ...append, expectedVersion, epoch: writer }).then(
        () => 'no conflict',
        ({ code, message }: Error & { code: string }) => `${code}: ${message}`,
      );
    const refused = `session-conflict: Session "a" was`;
    const then = 'Load it again before you write.';
    expect(await write(version - 1, epoch)).toBe(
      `${refused} changed by another writer: version ${version} is stored, ${version - 1} was expected. ${then}`,
    );
    expect(await write(version, epoch)).toBe(
      `${refused} changed by another writer: version ${version} is stored with an unexpected journal. ${then}`,
    );
    const taken = await store.takeEpoch('a');
    expect(await write(version, epoch)).toBe(
      `${refused} taken over by another writer: epoch ${taken.epoch} is stored, the writer has ${epoch}. ${then}`,
    );
  });
});

describe('localStorageSessions', () => {
  it('a damaged session is read again by retry once it is whole', async () => {
    const storage = fakeStorage();
    await open(localStorageSessions({ storage })).sendMessage('Hi');
    const whole = storage.items.get('vitrine:session:a')!;
    storage.items.set('vitrine:session:a', '{"id":');
    const session = open(localStorageSessions({ storage }));
    await session.ready;
    expect(session.store.getState().status).toBe('error');
    expect((await session.retry()).status).toBe('refused');
    expect((await session.sendMessage('Over it')).error?.code).toBe('state-invalid');
    expect(storage.items.get('vitrine:session:a')).toBe('{"id":');
    storage.items.set('vitrine:session:a', whole);
    expect((await session.retry()).status).toBe('done');
    expect(shownTexts(session).slice(0, 2)).toEqual(['Hi', 'Hello']);
  });

  it('localStorageSessions writes nothing per delta and no old message again', async () => {
    const storage = fakeStorage();
    const session = createAgentSession({
      agent: scriptedAgent([{ chunks: Array.from({ length: 300 }, () => 'y') }]),
      sessions: localStorageSessions({ storage }),
      sessionId: 'a',
    });
    await session.setMessages(Array.from({ length: 200 }, (_, index) => Message.user(`old ${index}`)));
    await session.flush();
    const write = vi.spyOn(storage, 'setItem');
    await session.sendMessage('Hi');
    expect(write.mock.calls.length).toBeLessThan(40);
    expect(write.mock.calls.filter(([, text]) => text.includes('old 1'))).toEqual([]);
    await session.dispose();
  });

  it.each(['..', '', 'a\nb'])('localStorageSessions refuses the id %j', async (id) => {
    await expect(
      localStorageSessions({ storage: fakeStorage() }).save({ id } as never, { expectedVersion: 0 }),
    ).rejects.toMatchObject({ code: 'id-invalid' });
  });
});

describe('the rows of a session', () => {
  const env = fixedEnv();

  it('rows hold every message once, for state, branches, checkpoints and runs', async () => {
    const { storage, raw } = faultyStorage();
    const { record, runs } = await sampleSession('a', 4, env);
    const store = localStorageSessions({ storage });
    await store.save(record, { expectedVersion: 0, newRuns: runs });
    const texts = raw('vitrine');
    const all = (await texts.keys()).map((key) => texts.get(key));
    for (let turn = 0; turn < 4; turn++)
      expect(all.filter((text) => String(text).includes(`Question ${turn} of a`))).toHaveLength(1);
    const loaded = loadedSession(await localStorageSessions({ storage }).load('a'));
    const [first] = messages(loaded!.state);
    expect(messages(loaded!.branches[0]!.state)[0]).toBe(first);
    expect(loaded!.checkpoints[1]!.store.sections[0]?.messages[0]).toBe(first);
  });

  it('stored rows are not written again, neither in the same page nor after a reload', async () => {
    const { storage } = faultyStorage();
    const { record } = await sampleSession('a', 6, env);
    const many = Array.from({ length: 1000 }, (_, index) => Message.user(`message ${index} `.repeat(20)));
    const before = record.state;
    const section = { name: 'buffer', messages: many };
    const state = { ...before, context: { ...before.context, store: { sections: [section] } } };
    let version = await localStorageSessions({ storage }).save({ ...record, state }, { expectedVersion: 0 });
    for (const store of [localStorageSessions({ storage }), localStorageSessions({ storage })]) {
      const loaded = loadedSession(await store.load('a'))!;
      const write = vi.spyOn(storage, 'setItem');
      const next = withUserMessage(loaded.state, 'One more', env);
      version = await store.save({ ...loaded, state: next }, { expectedVersion: version });
      const written = write.mock.calls.reduce((sum, [key, text]) => sum + key.length + text.length, 0);
      expect(written).toBeLessThan(8_000);
      write.mockRestore();
    }
  });

  it('rows of a newer format stay unchanged and are listed as newer', async () => {
    const { storage, raw } = faultyStorage();
    const { record } = await sampleSession('a', 1, env);
    const rows = localStorageRows({ storage });
    await rowSessions(rows).save(record, { expectedVersion: 0 });
    const head = (await rows.head('a'))!;
    const newer = { ...(openSealed(head.text, 'head') as object), format: 2, unheard: true };
    await rows.append('a', { expected: head, record: null, head: sealedText(newer), isStrict: false });
    const pointer = raw('vitrine').get('vitrine:session:a');
    const store = localStorageSessions({ storage });
    expect((await store.list()).sessions).toMatchObject([{ id: 'a', status: 'newer', title: 'About a' }]);
    const refused = { code: 'state-version-unsupported' };
    await expect(store.load('a')).rejects.toMatchObject(refused);
    await expect(store.save(record, { expectedVersion: 0 })).rejects.toMatchObject(refused);
    expect(raw('vitrine').get('vitrine:session:a')).toBe(pointer);
  });

  it('rows with an unknown event stay unchanged and are listed as newer', async () => {
    const { storage } = faultyStorage();
    const { record } = await sampleSession('a', 1, env);
    const store = localStorageSessions({ storage });
    const expectedVersion = await store.save(record, { expectedVersion: 0 });
    const [event] = sampleEvents(record.state, ['x'], env);
    const events = [{ ...event!, type: 'from-the-future' } as never];
    await store.append('a', { expectedVersion, journalId: record.journal.id, events });
    await expect(store.load('a')).rejects.toMatchObject({ code: 'state-version-unsupported' });
    expect((await store.list()).sessions).toMatchObject([{ id: 'a', status: 'newer' }]);
  });

  it('a state that could not be read again is refused before anything is written', async () => {
    const { storage, raw } = faultyStorage();
    const { record } = await sampleSession('a', 1, env);
    const state = { ...record.state, plugins: { p: { version: 1, revision: 1, data: Number.NaN } } };
    const store = localStorageSessions({ storage });
    await expect(store.save({ ...record, state }, { expectedVersion: 0 })).rejects.toMatchObject({
      code: 'state-invalid',
    });
    expect(await raw('vitrine').keys()).toEqual([]);
  });
});

describe('two localStorageSessions whose prefixes contain each other', () => {
  const env = fixedEnv();
  const prefixes = [
    'vitrine',
    'vitrine:session',
    'vitrine:session:a',
    'vitrine:session:a:session',
    'vitrine:',
  ];
  it('two stores with nested prefixes never list, read or erase entries of each other', async () => {
    const { storage } = faultyStorage();
    const { record } = await sampleSession('a', 2, env);
    const { record: other } = await sampleSession('session', 1, env);
    for (const prefix of prefixes)
      for (const each of [record, other])
        await localStorageSessions({ storage, prefix }).save(
          { ...each, title: prefix },
          { expectedVersion: 0 },
        );
    for (const [at, prefix] of prefixes.entries()) {
      const store = localStorageSessions({ storage, prefix });
      const { sessions } = await store.list();
      expect(sessions.map(({ id, title }) => `${id} of ${title}`).toSorted()).toEqual([
        `a of ${prefix}`,
        `session of ${prefix}`,
      ]);
      for (const id of ['a', 'session']) await store.remove(id);
      await store.list();
      for (const rest of prefixes.slice(at + 1))
        for (const each of [record, other]) {
          const found = await localStorageSessions({ storage, prefix: rest }).load(each.id);
          expect(found).toEqual({ kind: 'there', session: { ...each, title: rest, version: 1 } });
        }
    }
  });
});

it('tombstones and old outboxes are erased after 30 days and not earlier', async () => {
  const { storage } = faultyStorage();
  const { record } = await sampleSession('a', 1, fixedEnv());
  const day = 24 * 60 * 60 * 1000;
  const open = (): SessionStore => localStorageSessions({ storage });
  const keysLater = async (days: number): Promise<readonly string[]> => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * day });
    await open().list();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '').toSorted();
  };
  try {
    await open().save(record, { expectedVersion: 0 });
    await open().remove('a');
    await open().takeEpoch('never-saved');
    await open().outbox.put('never-saved', { id: 'one' });
    const keys = ['-never-saved', 'a', 'never-saved'].map((name) => `vitrine:session:${name}`);
    expect(await keysLater(29)).toEqual(keys);
    expect(await keysLater(2)).toEqual([]);
    expect(await open().load('a')).toEqual({ kind: 'absent', removedAt: null, epoch: 0 });
  } finally {
    vi.useRealTimers();
  }
});

/** A channel of a browser that blocks the data of sites. */
class RefusedChannel {
  constructor() {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  }
}

describe('browserSessions', () => {
  const env = fixedEnv();
  const durabilityOf = async (store: SessionStore): Promise<unknown[]> => {
    const { record } = await sampleSession('a', 1, env);
    const version = await store.save(record, { expectedVersion: 0 });
    expect(loadedSession(await store.load('a'))).toEqual({ ...record, version });
    return [store.durability, store.warning];
  };

  it('browserSessions uses IndexedDB where it exists', async () => {
    vi.stubGlobal('indexedDB', new IDBFactory());
    expect(await durabilityOf(browserSessions())).toEqual(['process-crash', null]);
  });

  it('sessions are read, changed and shared by nobody where the browser refuses channels between tabs', async () => {
    vi.stubGlobal('indexedDB', new IDBFactory());
    vi.stubGlobal('BroadcastChannel', RefusedChannel);
    const store = browserSessions();
    const heard: unknown[] = [];
    onTestFinished(store.subscribe((id) => heard.push(id)));
    expect(await durabilityOf(store)).toEqual(['process-crash', null]);
    expect(transportOf('indexed-db', 'a')).toBeNull();
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'Yes.' }]),
      sessions: store,
      sessionId: 'b',
    });
    expect(await session.sendMessage('Does it work?')).toMatchObject({ status: 'done', stored: true });
    await session.dispose();
  });

  it('browserSessions uses localStorage without IndexedDB and warns', async () => {
    vi.stubGlobal('localStorage', fakeStorage());
    vi.stubGlobal('indexedDB', undefined);
    expect(await durabilityOf(browserSessions())).toEqual(['eventual', expect.stringMatching('5 MB')]);
  });

  it('browserSessions uses memory where nothing can be stored and warns', async () => {
    vi.stubGlobal('indexedDB', undefined);
    vi.stubGlobal('localStorage', undefined);
    const store = browserSessions();
    const heard: unknown[] = [];
    const end = store.subscribe((id) => heard.push(id));
    expect(await durabilityOf(store)).toEqual(['none', expect.stringMatching('gone')]);
    expect(heard).toEqual(['a']);
    end();
    await store.remove('a');
    expect(heard).toEqual(['a']);
  });
});

describe('indexedDBSessions', () => {
  it('indexedDBSessions without IndexedDB reports what to do', async () => {
    vi.stubGlobal('indexedDB', undefined);
    const found = await indexedDBSessions().load('a');
    expect(found).toMatchObject({ kind: 'unknown', error: { code: 'session-storage' } });
  });
});
