import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { messages } from '../../graph/agent-state/accessors.ts';
import { withUserMessage } from '../../graph/agent-state/context-transitions.ts';
import * as Message from '../../graph/message.ts';
import { faultyStorage } from '../../testing/faulty-storage.fixture.ts';
import { fixedEnv, scriptedAgent } from '../../testing/fixtures.ts';
import { fakeStorage, said } from '../../testing/session.fixture.ts';
import { sampleEvents, sampleSession } from '../../testing/store-suite/sample-session.ts';
import type { AgentSession } from '../agent-session.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { browserSessions } from './browser-sessions.ts';
import { indexedDBSessions } from './indexed-db/indexed-db-sessions.ts';
import { localStorageRows } from './local-storage/local-storage-rows.ts';
import { localStorageSessions } from './local-storage/local-storage-sessions.ts';
import { memorySessions } from './memory/memory-sessions.ts';
import { rowSessions } from './rows/row-sessions.ts';
import { openSealed, sealedText } from './rows/sealed-text.ts';
import type { SessionStore } from './session-store.ts';

afterEach(() => vi.unstubAllGlobals());

const open = (sessions: SessionStore, text = 'Hello'): AgentSession =>
  createAgentSession({ agent: scriptedAgent([{ text }]), sessions, sessionId: 'a' });

describe.each<[string, () => SessionStore]>([
  ['memorySessions', memorySessions],
  ['localStorageSessions', () => localStorageSessions({ storage: fakeStorage() })],
  ['indexedDBSessions', () => indexedDBSessions({ name: 'stores' })],
])('%s', (_name, createStore) => {
  it('gives a session back as it was', async () => {
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
    expect(said(second)).toEqual(['Hi there', 'Hello', 'More', 'Again']);
    const { sessions: list } = await sessions.list();
    expect(list).toMatchObject([
      { id: 'a', title: 'Hi there', agentName: 'agent', executionStatus: 'completed' },
    ]);
    expect(list[0]).not.toHaveProperty('queue');
    await second.dispose();
    await sessions.remove('a');
    await sessions.remove('a');
    expect([await sessions.load('a'), await sessions.list()]).toEqual([null, { sessions: [], cursor: null }]);
  });
});

describe('localStorageSessions', () => {
  it('reads a damaged session again when retry is asked, once it is whole', async () => {
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
    expect(said(session).slice(0, 2)).toEqual(['Hi', 'Hello']);
  });

  it('writes nothing per delta, and no old messages again', async () => {
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

  it.each(['../x', '', '-a'])('refuses the id %j', async (id) => {
    await expect(
      localStorageSessions({ storage: fakeStorage() }).save({ id } as never, { expectedVersion: 0 }),
    ).rejects.toMatchObject({ code: 'id-invalid' });
  });
});

describe('rows', () => {
  const env = fixedEnv();

  it('hold every message once, for state, branches, checkpoints and runs', async () => {
    const { storage, raw } = faultyStorage();
    const { record, runs } = await sampleSession('a', 4, env);
    const store = localStorageSessions({ storage });
    await store.save(record, { expectedVersion: 0, newRuns: runs });
    const texts = raw('vitrine');
    const all = (await texts.keys()).map((key) => texts.get(key));
    for (let turn = 0; turn < 4; turn++)
      expect(all.filter((text) => String(text).includes(`Question ${turn} of a`))).toHaveLength(1);
    const loaded = await localStorageSessions({ storage }).load('a');
    const [first] = messages(loaded!.state);
    expect(messages(loaded!.branches[0]!.state)[0]).toBe(first);
    expect(loaded!.checkpoints[1]!.store.sections[0]?.messages[0]).toBe(first);
  });

  it('that are stored are not written again: not in the same page, and not after a reload', async () => {
    const { storage } = faultyStorage();
    const { record } = await sampleSession('a', 6, env);
    const many = Array.from({ length: 1000 }, (_, index) => Message.user(`message ${index} `.repeat(20)));
    const before = record.state;
    const section = { name: 'buffer', messages: many };
    const state = { ...before, context: { ...before.context, store: { sections: [section] } } };
    let version = await localStorageSessions({ storage }).save({ ...record, state }, { expectedVersion: 0 });
    for (const store of [localStorageSessions({ storage }), localStorageSessions({ storage })]) {
      const loaded = (await store.load('a'))!;
      const write = vi.spyOn(storage, 'setItem');
      const next = withUserMessage(loaded.state, 'One more', env);
      version = await store.save({ ...loaded, state: next }, { expectedVersion: version });
      const written = write.mock.calls.reduce((sum, [key, text]) => sum + key.length + text.length, 0);
      expect(written).toBeLessThan(8_000);
      write.mockRestore();
    }
  });

  it('of a newer format are left as they are, listed as newer', async () => {
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

  it('with an event that this version does not know are left as they are, listed as newer', async () => {
    const { storage } = faultyStorage();
    const { record } = await sampleSession('a', 1, env);
    const store = localStorageSessions({ storage });
    const expectedVersion = await store.save(record, { expectedVersion: 0 });
    const [event] = sampleEvents(record.state, ['x'], env);
    const events = [{ ...event!, type: 'from-the-future' } as never];
    await store.append('a', { expectedVersion, journalId: record.journal.id, record: 0, events });
    await expect(store.load('a')).rejects.toMatchObject({ code: 'state-version-unsupported' });
    expect((await store.list()).sessions).toMatchObject([{ id: 'a', status: 'newer' }]);
  });

  it('are refused, before anything is written, for a state that could not be read again', async () => {
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

describe('browserSessions', () => {
  const env = fixedEnv();
  const durabilityOf = async (store: SessionStore): Promise<unknown[]> => {
    const { record } = await sampleSession('a', 1, env);
    const version = await store.save(record, { expectedVersion: 0 });
    expect(await store.load('a')).toEqual({ ...record, version });
    return [store.durability, store.warning];
  };

  it('takes IndexedDB where there is one', async () => {
    vi.stubGlobal('indexedDB', new IDBFactory());
    expect(await durabilityOf(browserSessions())).toEqual(['process-crash', null]);
  });

  it('takes localStorage where IndexedDB is missing or refuses, and says so', async () => {
    vi.stubGlobal('localStorage', fakeStorage());
    const refusing = {
      open: () => {
        throw new DOMException('no', 'SecurityError');
      },
    };
    for (const missing of [undefined, refusing]) {
      localStorage.clear();
      vi.stubGlobal('indexedDB', missing);
      expect(await durabilityOf(browserSessions())).toEqual(['eventual', expect.stringMatching('5 MB')]);
    }
  });

  it('takes memory where nothing can be stored, and says so', async () => {
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
  it('says what to do where there is no IndexedDB', async () => {
    vi.stubGlobal('indexedDB', undefined);
    await expect(indexedDBSessions().load('a')).rejects.toMatchObject({ code: 'session-storage' });
  });
});
