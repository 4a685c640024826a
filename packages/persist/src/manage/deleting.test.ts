import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { createDeferred } from '@vitrine/core/internal/kit/deferred';
import { fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fakeStorage, heldTool, shownTexts } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { deleteSession, renameSession, restoreSession } from './change-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';

const stores: [string, () => SessionStore][] = [
  ['in memory', memorySessions],
  ['in localStorage', () => localStorageSessions({ storage: fakeStorage() })],
];
const open = (sessions: SessionStore, agent = scriptedAgent([{ text: 'A' }, { text: 'B' }])): AgentSession =>
  createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate' });
const statusOf = (session: AgentSession): string => session.store.getState().status;
const ids = async (sessions: SessionStore, status?: 'deleted'): Promise<string[]> =>
  (await sessions.list(status === undefined ? {} : { status })).sessions.map(({ id }) => id);

describe.each(stores)('a deleted session in a store %s', (_name, make) => {
  it('a deleted session is hidden, reported in every view, refuses messages and returns by restore', async () => {
    const sessions = make();
    const views = [open(sessions), open(sessions)] as const;
    await views[0].sendMessage('Hi');
    await views[0].flush();
    await Promise.all(views.map(({ ready }) => ready));
    const before = loadedSession(await sessions.load('a'));
    await deleteSession(sessions, 'a');
    await deleteSession(sessions, 'a');
    await vi.waitFor(() => expect(views.map(statusOf)).toEqual(['deleted', 'deleted']));
    expect([await ids(sessions), await ids(sessions, 'deleted')]).toEqual([[], ['a']]);
    const refused = { status: 'refused', error: { code: 'session-deleted' } };
    expect(await views[0].sendMessage('More')).toMatchObject(refused);
    await expect(renameSession(sessions, 'a', 'x')).rejects.toMatchObject({ code: 'session-deleted' });
    const late = open(sessions);
    await late.ready;
    expect([statusOf(late), await late.sendMessage('More')]).toMatchObject(['deleted', refused]);

    await restoreSession(sessions, 'a');
    await vi.waitFor(() => expect([...views, late].map(statusOf)).toEqual(['ready', 'ready', 'ready']));
    const after = loadedSession(await sessions.load('a'));
    // Nobody takes the last write for that of the session.
    expect({ ...after, version: 0 }).toEqual({ ...before, version: 0, writeId: undefined });
    expect((await views[1].sendMessage('More')).outcome).toBe('completed');
    await views[1].flush();
    const again = open(sessions);
    await again.ready;
    expect(shownTexts(again)).toEqual(['Hi', 'A', 'More', 'A']);
    for (const view of [...views, late, again]) await view.dispose();
  });

  it('a session restored before its run has ended refuses that turn as deleted and continues', async () => {
    const sessions = make();
    const work = heldTool('work');
    const last = createDeferred<void>();
    const slow = defineHook({ name: 'slow', on: 'on-stop', run: () => last.promise.then(() => undefined) });
    const script = [{ toolCalls: [{ name: 'work', input: 0 }] }, { text: 'Done' }];
    const finished = vi.fn();
    const agent = scriptedAgent(script, { tools: [work.tool], hooks: [slow] });
    const session = createAgentSession({ agent, sessions, sessionId: 'a', onFinish: finished });
    const sent = session.sendMessage('Hi');
    await vi.waitFor(() => expect(work.runs).toHaveLength(1));
    await deleteSession(sessions, 'a');
    await vi.waitFor(() => expect(statusOf(session)).toBe('deleted'));
    await restoreSession(sessions, 'a');
    expect(await sent).toMatchObject({ status: 'refused', error: { code: 'session-deleted' } });
    await vi.waitFor(() => expect(statusOf(session)).toBe('interrupted'));
    last.resolve();
    const resumed = session.resume();
    await vi.waitFor(() => {
      work.end();
      expect(statusOf(session)).toBe('ready');
    });
    expect(await resumed).toMatchObject({ outcome: 'completed' });
    expect(finished).toHaveBeenCalledTimes(2);
    await session.dispose();
  });

  it('a deleted session aborts its run, which is interrupted after a restore', async () => {
    const sessions = make();
    const slow = heldTool('slow');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: 1 }] }, { text: 'End' }], {
      tools: [slow.tool],
    });
    const session = open(sessions, agent);
    const turn = session.sendMessage('one');
    await vi.waitFor(() => expect(slow.runs).toHaveLength(1));
    await session.flush();
    await deleteSession(sessions, 'a');
    expect(await turn).toMatchObject({ status: 'refused', error: { code: 'session-deleted' } });
    expect(statusOf(session)).toBe('deleted');
    await restoreSession(sessions, 'a');
    await vi.waitFor(() => expect(statusOf(session)).toBe('interrupted'));
    const resumed = session.resume();
    await vi.waitFor(() => {
      slow.end();
      expect(statusOf(session)).toBe('ready');
    });
    expect((await resumed)?.outcome).toBe('completed');
    await session.dispose();
  });

  it('a session restored while its run is still ending is read again', async () => {
    const sessions = make();
    const slow = heldTool('slow');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: 1 }] }, { text: 'End' }], {
      tools: [slow.tool],
    });
    const session = open(sessions, agent);
    const turn = session.sendMessage('one');
    await vi.waitFor(() => expect(slow.runs).toHaveLength(1));
    await session.flush();
    await deleteSession(sessions, 'a');
    await restoreSession(sessions, 'a');
    slow.end();
    await turn;
    await session.flush();
    await vi.waitFor(() => expect(['ready', 'interrupted']).toContain(statusOf(session)));
    await session.dispose();
  });

  it('a deletion is found by a session that only learns of it when writing', async () => {
    const sessions = make();
    const { subscribe: _silent, ...silent } = sessions;
    const model = vi.fn(() => ({ text: 'A' }));
    const session = open(silent, scriptedAgent([model]));
    await session.sendMessage('Hi');
    await session.flush();
    await deleteSession(sessions, 'a');
    session.setDraft('typed');
    await session.flush();
    await vi.waitFor(() => expect(statusOf(session)).toBe('deleted'));
    expect((await session.sendMessage('More')).error?.code).toBe('session-deleted');
    expect(model).toHaveBeenCalledTimes(1);
    expect(loadedSession(await sessions.load('a'))?.status).toBe('deleted');
    await session.dispose();
  });

  it('a deleted session does not return when another session takes its id', async () => {
    const sessions = make();
    const session = open(sessions);
    await session.sendMessage('Hi');
    await session.flush();
    await deleteSession(sessions, 'a');
    await vi.waitFor(() => expect(statusOf(session)).toBe('deleted'));
    await sessions.remove('a');
    const other = open(sessions);
    await other.sendMessage('Another');
    await other.flush();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(statusOf(session)).toBe('deleted');
    await session.dispose();
    await other.dispose();
  });
});

describe('the time for undo', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function deleted(
    env = fixedEnv(),
  ): Promise<{ env: ReturnType<typeof fixedEnv>; sessions: SessionStore }> {
    const sessions = memorySessions();
    const session = createAgentSession({ agent: scriptedAgent([{ text: 'A' }]), sessions, sessionId: 'a' });
    await session.setMessages([{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] } as never]);
    await session.flush();
    await deleteSession(sessions, 'a', { env });
    return { env, sessions };
  }

  it('a deletion can be undone for 10 seconds, then the session is erased', async () => {
    const { env, sessions } = await deleted();
    env.advance(9_999);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await ids(sessions, 'deleted')).toEqual(['a']);
    env.advance(10);
    await vi.advanceTimersByTimeAsync(10);
    expect(loadedSession(await sessions.load('a'))).toBeNull();
    await expect(restoreSession(sessions, 'a', { env })).rejects.toMatchObject({ code: 'session-not-found' });
  });

  it('a restore after 10 seconds is refused, even when nothing has erased the session yet', async () => {
    const { env, sessions } = await deleted();
    env.advance(10_000);
    await expect(restoreSession(sessions, 'a', { env })).rejects.toMatchObject({ code: 'session-deleted' });
  });

  it('the undo time begins anew for a session that was restored and deleted again', async () => {
    const { env, sessions } = await deleted();
    env.advance(6_000);
    await vi.advanceTimersByTimeAsync(6_000);
    await restoreSession(sessions, 'a', { env });
    env.advance(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    await deleteSession(sessions, 'a', { env });
    env.advance(4_000);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await ids(sessions, 'deleted')).toEqual(['a']);
    env.advance(6_010);
    await vi.advanceTimersByTimeAsync(6_010);
    expect(await ids(sessions, 'deleted')).toEqual([]);
  });
});

it('sessions deleted before the page was closed are erased at the next list, and no others', async () => {
  const storage = fakeStorage();
  const first = localStorageSessions({ storage });
  for (const id of ['old', 'young', 'kept']) {
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'A' }]),
      sessions: first,
      sessionId: id,
    });
    await session.sendMessage('Hi');
    await session.dispose();
  }
  const past = { ...fixedEnv(), now: () => Date.now() - 11_000 };
  await deleteSession(first, 'old', { env: past });
  await deleteSession(first, 'young');
  const second = localStorageSessions({ storage });
  expect(await ids(second)).toEqual(['kept']);
  await vi.waitFor(async () => expect(await ids(second, 'deleted')).toEqual(['young']));
  expect([...storage.items.keys()].filter((key) => key.includes(':old'))).toEqual(['vitrine:session:old']);
});

it('a rename writes no message again, and the title outlasts writes of others', async () => {
  const storage = fakeStorage();
  const sessions = localStorageSessions({ storage });
  const session = open(sessions);
  await session.sendMessage('Hi');
  await session.dispose();
  const keys = [...storage.items.keys()];
  await renameSession(sessions, 'a', 'Mine');
  expect([...storage.items.keys()]).toEqual(keys);
  expect((await sessions.list()).sessions).toMatchObject([{ title: 'Mine' }]);
  let raced = 0;
  const racing: SessionStore = {
    ...sessions,
    async append(id, append) {
      if (raced++ === 0) await sessions.append(id, append);
      return sessions.append(id, append);
    },
  };
  await renameSession(racing, 'a', 'Ours');
  expect([loadedSession(await sessions.load('a'))?.title, raced]).toEqual(['Ours', 1]);
  await expect(renameSession(sessions, 'b', 'x')).rejects.toMatchObject({ code: 'session-not-found' });
});

it('an unreadable session is not deleted, renamed or changed', async () => {
  const storage = fakeStorage();
  storage.items.set('vitrine:session:a', '{}');
  const sessions = localStorageSessions({ storage });
  for (const change of [deleteSession(sessions, 'a'), renameSession(sessions, 'a', 'x')])
    await expect(change).rejects.toMatchObject({ code: 'state-invalid' });
  expect([...storage.items]).toEqual([['vitrine:session:a', '{}']]);
});
