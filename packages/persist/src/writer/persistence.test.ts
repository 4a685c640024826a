import { describe, expect, it, vi } from 'vitest';
import * as Message from '@vitrine/core/internal/graph/message';
import { fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import {
  fakeStorage,
  gatedSessions,
  heldTool,
  shownTexts,
  storedState,
  texts,
} from '@vitrine/testing/internal/session.fixture';
import type {
  AgentSession,
  AgentSessionOptions,
  PersistenceState,
} from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { browserSessions } from '../drivers/browser-sessions.ts';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

const stored = (sessions: SessionStore, options: Partial<AgentSessionOptions> = {}): AgentSession =>
  createAgentSession({
    agent: scriptedAgent([{ text: 'A' }]),
    sessions,
    sessionId: 'a',
    publish: 'immediate',
    ...options,
  });
const persistence = (session: AgentSession): PersistenceState => session.store.getState().persistence;
const statusOf = (session: AgentSession): string => session.store.getState().status;

describe('a session that is deleted', () => {
  it('a deleted session is reported in every view, refuses later messages and stays deleted', async () => {
    const sessions = memorySessions();
    const views = [stored(sessions), stored(sessions)] as const;
    await views[0].sendMessage('Hi');
    await Promise.all(views.map(({ ready }) => ready));
    await sessions.remove('a');
    await vi.waitFor(() => expect(views.map(statusOf)).toEqual(['deleted', 'deleted']));
    for (const view of views) {
      for (const turn of [await view.sendMessage('More'), await view.retry()])
        expect(turn).toMatchObject({ status: 'refused', error: { code: 'session-deleted' } });
      await expect(view.rename('back')).rejects.toMatchObject({ code: 'session-deleted' });
      view.setDraft('more');
      await view.flush();
      await view.dispose();
    }
    expect(loadedSession(await sessions.load('a'))).toBeNull();
  });

  it('a deleted session ends its run and refuses the active and the queued turns as deleted', async () => {
    const sessions = memorySessions();
    const slow = heldTool('slow');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: 1 }] }], { tools: [slow.tool] });
    const session = stored(sessions, { agent });
    const turns = [session.sendMessage('one')];
    await vi.waitFor(() => expect(slow.runs).toHaveLength(1));
    turns.push(session.sendMessage('two'));
    await session.flush();
    await sessions.remove('a');
    const [first, second] = await Promise.all(turns);
    const refused = { status: 'refused', outcome: null, error: { code: 'session-deleted' } };
    expect([first, second]).toMatchObject([refused, refused]);
    expect(loadedSession(await sessions.load('a'))).toBeNull();
  });

  it('a session in a silent store is found deleted before the model is called', async () => {
    const { subscribe: _none, ...silent } = memorySessions();
    const model = vi.fn(() => ({ text: 'A' }));
    const session = stored(silent, { agent: scriptedAgent([model]) });
    await session.sendMessage('Hi');
    await silent.remove('a');
    const turn = await session.sendMessage('More');
    expect(turn).toMatchObject({ status: 'refused', error: { code: 'session-deleted' } });
    expect(statusOf(session)).toBe('deleted');
    expect(model).toHaveBeenCalledTimes(1);
    expect(loadedSession(await silent.load('a'))).toBeNull();
  });
});

describe('the persistence of a session', () => {
  it('persistence is idle before the first write, then saved, and off without a store', async () => {
    const sessions = memorySessions();
    const session = stored(sessions);
    expect(persistence(session).status).toBe('idle');
    await session.ready;
    expect(persistence(session).status).toBe('idle');
    await session.sendMessage('Hi');
    expect(persistence(session).status).toBe('saved');
    const again = stored(sessions);
    await again.ready;
    expect(persistence(again).status).toBe('saved');
    expect(persistence(createAgentSession({ agent: scriptedAgent([]) })).status).toBe('off');
  });

  it("persistence reports the durability of the browser's storage and keeps it when the browser refuses more", async () => {
    vi.stubGlobal('indexedDB', undefined);
    vi.stubGlobal('localStorage', undefined);
    const session = stored(browserSessions());
    await session.sendMessage('Hi');
    expect(persistence(session)).toEqual({
      status: 'saved',
      durability: 'none',
      warning: expect.stringMatching('gone'),
      error: null,
    });
    await session.dispose();
    vi.unstubAllGlobals();
    const open = vi.fn(() => {
      throw new Error('refused');
    });
    vi.stubGlobal('indexedDB', { open });
    vi.stubGlobal('localStorage', fakeStorage());
    const second = stored(browserSessions());
    expect(persistence(second)).toMatchObject({ durability: 'process-crash', warning: null });
    await second.sendMessage('Hi');
    expect(persistence(second)).toMatchObject({
      status: 'degraded',
      durability: 'process-crash',
      error: { code: 'session-storage' },
    });
    expect(localStorage.length).toBe(0);
    await second.dispose();
    vi.unstubAllGlobals();
  });

  it('persistence is degraded once blocked storage was read, and the session continues in memory', async () => {
    vi.stubGlobal('localStorage', undefined);
    const session = stored(localStorageSessions());
    await session.ready;
    expect([statusOf(session), persistence(session).status]).toEqual(['ready', 'degraded']);
    expect((await session.sendMessage('Hi')).outcome).toBe('completed');
    expect(persistence(session)).toMatchObject({ status: 'degraded', error: { code: 'session-storage' } });
    await session.dispose();
    vi.unstubAllGlobals();
  });

  it('persistence is degraded while the storage is full and recovers by itself', async () => {
    vi.useFakeTimers();
    try {
      const storage = fakeStorage(300);
      const sessions = localStorageSessions({ storage });
      const session = stored(sessions);
      const turn = session.sendMessage('x'.repeat(500));
      await vi.advanceTimersByTimeAsync(0);
      expect((await turn).outcome).toBe('completed');
      expect(persistence(session)).toMatchObject({
        status: 'degraded',
        error: { code: 'session-storage' },
      });
      storage.limit = Infinity;
      await vi.advanceTimersByTimeAsync(31_000);
      expect(persistence(session)).toMatchObject({ status: 'saved', error: null });
      expect(texts(await storedState(sessions))).toEqual(['x'.repeat(500), 'A']);
      await session.dispose();
    } finally {
      vi.useRealTimers();
    }
  });

  it('a failed write is repeated after growing pauses of at most 30 seconds', async () => {
    vi.useFakeTimers();
    try {
      const times: number[] = [];
      const save = (): Promise<never> => {
        times.push(Date.now());
        return Promise.reject(new Error('offline'));
      };
      const session = stored({ ...memorySessions(), save });
      session.setDraft('typed');
      await vi.advanceTimersByTimeAsync(120_000);
      const waits = times.slice(1).map((time, index) => Math.round((time - times[index]!) / 1000));
      expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
      await session.dispose();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the writes of a session', () => {
  it('an unused session writes nothing', async () => {
    const sessions = memorySessions();
    const session = stored(sessions);
    await session.ready;
    await session.flush();
    await session.dispose();
    expect((await sessions.list()).sessions).toEqual([]);
  });

  it('a session writes one state after the other, and a slow store delays the model only before a turn', async () => {
    const sessions = gatedSessions(memorySessions());
    const model = vi.fn(() => ({ text: 'A' }));
    const session = stored(sessions, { agent: scriptedAgent([model]) });
    await session.ready;
    sessions.hold('save');
    const turn = session.sendMessage('Hi');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([shownTexts(session), statusOf(session), model.mock.calls]).toEqual([['Hi'], 'submitted', []]);
    sessions.release();
    expect((await turn).outcome).toBe('completed');
  });

  it('a session is dated by its messages, not by a draft or a reset', async () => {
    const env = fixedEnv();
    const sessions = memorySessions();
    const session = stored(sessions, { env });
    await session.sendMessage('Hi');
    await session.flush();
    const first = loadedSession(await sessions.load('a'))!;
    env.advance(60_000);
    session.setDraft('typed');
    await session.flush();
    const typed = loadedSession(await sessions.load('a'))!;
    expect([typed.draft, typed.updatedAt]).toEqual(['typed', first.updatedAt]);
    await session.reset();
    await session.sendMessage('Again');
    await session.flush();
    const again = loadedSession(await sessions.load('a'))!;
    expect([again.createdAt, again.updatedAt]).toEqual([first.createdAt, first.updatedAt + 60_000]);
  });

  it('a write begins only after the one before it has ended', async () => {
    const sessions = memorySessions();
    let [writing, most] = [0, 0];
    const counting: SessionStore = {
      ...sessions,
      async save(record, options) {
        most = Math.max(most, ++writing);
        await new Promise((resolve) => setTimeout(resolve, 5));
        writing -= 1;
        return sessions.save(record, options);
      },
    };
    const session = stored(counting);
    await session.ready;
    for (const draft of ['a', 'ab', 'abc']) {
      session.setDraft(draft);
      void session.flush();
      await Promise.resolve();
    }
    await session.flush();
    expect([most, persistence(session).status]).toEqual([1, 'saved']);
    expect(loadedSession(await sessions.load('a'))?.draft).toBe('abc');
  });

  it('a chosen title stays, and a derived title goes with its messages', async () => {
    const sessions = memorySessions();
    const session = stored(sessions);
    const titleOf = async (): Promise<string | undefined> => {
      await session.flush();
      return (await sessions.list()).sessions[0]?.title;
    };
    await session.sendMessage('First words');
    expect(await titleOf()).toBe('First words');
    await session.setMessages([Message.user('Other words')]);
    expect(await titleOf()).toBe('Other words');
    await session.rename('Mine');
    await session.reset();
    await session.sendMessage('Third words');
    expect([await titleOf(), session.store.getState().title]).toEqual(['Mine', 'Mine']);
    expect(texts(await storedState(sessions))).toEqual(['Third words', 'A']);
  });
});
