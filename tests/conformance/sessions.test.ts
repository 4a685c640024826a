import {
  type AgentSession,
  AgentState,
  createAgentSession,
  Message,
  MessageStore,
  type SessionRecord,
  type SessionStore,
  loadedSession,
} from '@vitrine/core';
import { sessionHub } from '@vitrine/core/internal/session/hub';
import { createRecorder, runsOf } from '@vitrine/inspect';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import { localStorageSessions, memorySessions } from '@vitrine/persist';
import { blankSession } from '@vitrine/testing';
import { describe, expect, it, vi } from 'vitest';
import { call, errorStep, expectRun, final, fixedEnv, scripted, throws } from './fixtures.ts';

const blank = AgentState.create();
const record = (init: Partial<SessionRecord> = {}): SessionRecord =>
  blankSession('a_b-1', { title: 'Title', state: blank, ...init });
/** As much of a Storage as a store needs. */
function storage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}
const stores: [string, () => SessionStore][] = [
  ['memory', () => memorySessions()],
  ['localStorage', () => localStorageSessions({ storage: storage() })],
];
const conflict = expect.objectContaining({ code: 'session-conflict' });
const storedBy = async (session: AgentSession, store: SessionStore): Promise<SessionRecord | null> => {
  await session.flush();
  return loadedSession(await store.load(session.id() ?? ''));
};

describe.each(stores)('a store in %s', (_name, open) => {
  it('152 a store gives a new session the version 1; creating it again, or with another version, is a conflict', async () => {
    const store = open();
    expect(await store.save(record(), { expectedVersion: 0 })).toBe(1);
    const saved = record({ version: 1 });
    expect(loadedSession(await store.load('a_b-1'))).toEqual(saved);
    await expect(store.save(record(), { expectedVersion: 0 })).rejects.toEqual(conflict);
    await expect(store.save(record({ id: 'b' }), { expectedVersion: 5 })).rejects.toEqual(conflict);
    expect(loadedSession(await store.load('b'))).toBe(null);
    expect(loadedSession(await store.load('a_b-1'))).toEqual(saved);
  });

  it('153 a store raises the version with every save; a stale or unknown session is a conflict', async () => {
    const store = open();
    const expectedVersion = await store.save(record(), { expectedVersion: 0 });
    expect(await store.save(record({ title: 'Two' }), { expectedVersion })).toBe(2);
    await expect(store.save(record({ title: 'Stale' }), { expectedVersion: 0 })).rejects.toEqual(conflict);
    await expect(store.save(record(), { expectedVersion: 1 })).rejects.toEqual(conflict);
    await expect(store.save(record({ id: 'b' }), { expectedVersion: 1 })).rejects.toEqual(conflict);
    expect(loadedSession(await store.load('a_b-1'))?.title).toBe('Two');
  });

  it('155 a store gives null for an unknown session, and removes twice without harm', async () => {
    const store = open();
    expect(loadedSession(await store.load('missing'))).toBe(null);
    await store.save(record(), { expectedVersion: 0 });
    await store.remove('a_b-1');
    expect([loadedSession(await store.load('a_b-1')), await store.list()]).toEqual([
      null,
      { sessions: [], cursor: null },
    ]);
    await expect(store.remove('a_b-1')).resolves.toBeUndefined();
  });
});

describe('a session', () => {
  it.each(['', '.', '..', 'a\tb', 'a\u007f', '\ud83d', 'a'.repeat(201)])(
    '167 a session refuses the id %j',
    (sessionId) => {
      const open = (): unknown => createAgentSession({ agent: scripted([final()]), sessionId });
      expect(open).toThrow(expect.objectContaining({ code: 'id-invalid' }));
    },
  );

  it.each(['a_b-1', '-a', '-V1StGXR8_Z5jdHi6B_my', '../x', 'users/1:a b', 'ü😀', '😀'.repeat(200)])(
    '167 a session takes the id %j',
    (sessionId) => {
      expect(createAgentSession({ agent: scripted([final()]), sessionId }).id()).toBe(sessionId);
    },
  );

  it('152 a session is stored with version and time after its first answer', async () => {
    const store = memorySessions();
    const env = fixedEnv();
    const session = createAgentSession({ agent: scripted([final()]), sessions: store, sessionId: 's', env });
    expect(loadedSession(await store.load('s'))).toBe(null);
    env.advance(5);
    await session.sendMessage('Hello');
    const saved = await storedBy(session, store);
    expect(saved?.version).toBeGreaterThanOrEqual(1);
    expect(saved?.updatedAt).toBe(env.now());
    await session.dispose();
  });

  it('156 changes version and time in the store with a save, not with what changes in it before', async () => {
    const memory = memorySessions();
    let gate = Promise.resolve();
    const store: SessionStore = {
      ...memory,
      save: async (...args) => {
        await gate;
        return memory.save(...args);
      },
    };
    const session = createAgentSession({ agent: scripted([final()]), sessions: store, sessionId: 's' });
    await session.sendMessage('Hello');
    const before = await storedBy(session, store);
    let release = (): void => undefined;
    gate = new Promise((resolve) => (release = resolve));
    await session.update((state) => AgentState.withMetadata(state, { a: 1 }));
    void session.rename('Other');
    await vi.waitFor(() => expect(session.store.getState().title).toBe('Other'));
    expect(AgentState.metadata(session.store.getState().state)).toEqual({ a: 1 });
    expect(loadedSession(await store.load('s'))).toEqual(before);
    release();
    const after = await storedBy(session, store);
    expect(after).toMatchObject({ title: 'Other', parentId: null, createdAt: before?.createdAt });
    expect(after?.version).toBeGreaterThan(before!.version);
    await session.dispose();
  });

  it('157 a session stays active when its run fails', async () => {
    const store = memorySessions();
    const session = createAgentSession({ agent: scripted([throws('x')]), sessions: store, sessionId: 's' });
    expect(await session.sendMessage('Hello')).toMatchObject({ status: 'done', outcome: 'failed' });
    expect(await storedBy(session, store)).toMatchObject({ status: 'active', executionStatus: 'failed' });
    await session.dispose();
  });

  it('166 a deleted session refuses a message without calling the model', async () => {
    let modelCalls = 0;
    const store = memorySessions();
    const agent = scripted([() => (modelCalls++, final())]);
    const session = createAgentSession({ agent, sessions: store, sessionId: 's' });
    await session.sendMessage('Hello');
    await session.flush();
    await store.remove('s');
    await vi.waitFor(() => expect(session.store.getState().status).toBe('deleted'));
    const turn = await session.sendMessage('Again');
    expect(turn).toMatchObject({ status: 'refused', error: { code: 'session-deleted' } });
    expect(modelCalls).toBe(1);
    expect(loadedSession(await store.load('s'))).toBe(null);
    await session.dispose();
  });
});

describe('changes of a session', () => {
  it('161 clear its messages in all sections and its execution, or change one thing only', async () => {
    const init = { systemPrompt: 'P', metadata: { a: 1 } };
    const asked = AgentState.withUserMessage(AgentState.create(init), 'Hello');
    const { state } = await expectRun([final()], {}, { state: asked }).toEnd('completed', 'completed');
    const withBuffer = AgentState.withMessageStore(
      state,
      MessageStore.append(AgentState.store(state), [Message.user('old')], 'buffer'),
    );
    const cleared = AgentState.forNextExecution(
      AgentState.withMessageStore(withBuffer, MessageStore.empty()),
    );
    expect(AgentState.store(cleared).sections.flatMap(({ messages }) => messages)).toEqual([]);
    expect(cleared).toMatchObject({ execution: null, context: { metadata: { a: 1 }, systemPrompt: 'P' } });

    const changed = [
      AgentState.withMetadata(state, { a: 2 }),
      AgentState.withSystemPrompt(state, 'Q'),
      AgentState.withLlmConfig(state, { model: 'm', settings: {} }),
    ];
    const facts = ({ context, llmConfig, execution }: AgentState) => [
      context.metadata,
      context.systemPrompt,
      llmConfig,
      context.store,
      execution,
    ];
    for (const [place, next] of changed.entries()) {
      const differing = facts(next).flatMap((fact, at) => (Object.is(fact, facts(state)[at]) ? [] : [at]));
      expect(differing).toEqual([place]);
    }
  });
});

describe('the history of executions', () => {
  it('201 the runs of a session are numbered, each with its final status, also when it is opened again; a new session has none', async () => {
    const store = memorySessions();
    const recorder = createRecorder();
    const statuses = (): (readonly [number, string | undefined])[] => {
      const source = sessionHub().sources().at(-1);
      if (source === undefined) return [];
      const record = recorder.read(source);
      return runsOf(record).map((run) => [run.number, recordOfRun(record, run).state.execution?.status]);
    };
    const agent = scripted([final(), call(), errorStep('Broken')], { budget: { maxSteps: 1 } });
    const session = createAgentSession({ agent, sessions: store, sessionId: 'a_b-1' });
    expect(statuses()).toEqual([]);
    for (const said of ['First', 'Second', 'Third']) await session.sendMessage(said);
    const history = [
      [1, 'completed'],
      [2, 'stopped'],
      [3, 'failed'],
    ];
    expect(statuses()).toEqual(history);
    await session.flush();
    await session.dispose();
    const again = createAgentSession({ agent, sessions: store, sessionId: 'a_b-1' });
    await again.ready;
    await vi.waitFor(() => expect(statuses()).toEqual(history));
    await again.dispose();
    recorder.dispose();
  });
});
