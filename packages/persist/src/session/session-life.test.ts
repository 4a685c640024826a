import { describe, expect, it, vi } from 'vitest';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import * as Message from '@vitrine/core/internal/graph/message';
import { createDeferred } from '@vitrine/core/internal/kit/deferred';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import {
  askingTool,
  fakeStorage,
  gatedSessions,
  heldTool,
  shownTexts,
  texts,
  storedState,
} from '@vitrine/testing/internal/session.fixture';
import type { AgentSession, AgentSessionOptions } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { sessionHub } from '@vitrine/core/internal/session/hub';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

const answering = scriptedAgent([{ text: 'A' }]);
const statusOf = (session: AgentSession): string => session.store.getState().status;
const stored = (sessions: SessionStore, options: Partial<AgentSessionOptions> = {}): AgentSession =>
  createAgentSession({ agent: answering, sessions, sessionId: 'a', publish: 'immediate', ...options });
const seen = (session: AgentSession): Promise<void> =>
  new Promise((resolve) => void session.onEvent(({ type }) => type === 'inference-start' && resolve()));

describe('a retry that waits for the current run to end', () => {
  it.each<[string, (session: AgentSession, sessions: SessionStore) => unknown]>([
    ['closed', (session) => session.dispose()],
    ['reset', (session) => session.reset()],
    ['deleted', (_session, sessions) => sessions.remove('a')],
  ])('a waiting retry does not run when the session is %s', async (what, leave) => {
    const pay = askingTool('pay');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }], { tools: [pay.tool] });
    const sessions = memorySessions();
    const session = stored(sessions, { agent });
    await session.sendMessage('Pay');
    const retry = session.retry();
    const left = leave(session, sessions);
    const refused = { status: 'refused', error: { code: 'session-deleted' } };
    const status = what === 'deleted' ? refused : { status: 'cancelled' };
    expect(await retry).toMatchObject({ kind: 'retry', ...status });
    await left;
  });
});

describe('a retry of the last turn', () => {
  it('a retry after an answer is refused, and no request ends with an answer', async () => {
    const model = vi.fn(() => ({ text: 'A' }));
    const session = createAgentSession({ agent: scriptedAgent([model]), publish: 'immediate' });
    await session.sendMessage('one');
    expect(await session.retry()).toMatchObject({ status: 'refused', error: { code: 'session-idle' } });
    expect(model).toHaveBeenCalledTimes(1);
    expect(shownTexts(session)).toEqual(['one', 'A']);
  });

  it('a retry after a failure requests again without the partial answer', async () => {
    const fails = { text: 'half', error: { message: 'gone' } };
    const session = createAgentSession({
      agent: scriptedAgent([fails, { text: 'A' }]),
      publish: 'immediate',
    });
    await session.sendMessage('one');
    expect(await session.retry()).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(shownTexts(session)).toEqual(['one', 'A']);
  });
});

describe('a reset of a session', () => {
  it('a reset ends the run and cancels the messages behind it, and none of them is sent later', async () => {
    const model = vi.fn(() => ({ text: 'A', delayMs: 30 }));
    const session = createAgentSession({ agent: scriptedAgent([model]), publish: 'immediate' });
    const first = session.sendMessage('one');
    await seen(session);
    const [second] = [session.sendMessage('two'), session.reset()];
    expect([(await first).outcome, (await second).status]).toEqual(['stopped', 'cancelled']);
    expect((await session.sendMessage('three')).outcome).toBe('completed');
    expect(shownTexts(session)).toEqual(['three', 'A']);
    expect(model).toHaveBeenCalledTimes(2);
  });
});

describe('the disposal of a session', () => {
  it('a call that waits for approval outlives the disposal and can be approved after reopening', async () => {
    const pay = askingTool('pay');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }, { text: 'ok' }], {
      tools: [pay.tool],
    });
    const sessions = memorySessions();
    const first = stored(sessions, { agent });
    await first.sendMessage('Pay');
    await first.dispose();
    const second = stored(sessions, { agent });
    await second.ready;
    expect(second.store.getState()).toMatchObject({
      status: 'awaiting-input',
      turn: { status: 'awaiting-input' },
    });
    const [call] = pendingApprovals(second.store.getState().state);
    expect(await second.approve(call!.id)).toMatchObject({ status: 'done', outcome: 'completed' });
    expect([pay.runs, shownTexts(second)]).toEqual([[1], ['Pay', '', 'ok']]);
  });

  it('a call that was approved just before the disposal runs', async () => {
    const pay = askingTool('pay');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }, { text: 'ok' }], {
      tools: [pay.tool],
    });
    const session = stored(gatedSessions(memorySessions()), { agent });
    await session.sendMessage('Pay');
    const [call] = pendingApprovals(session.store.getState().state);
    const [turn] = await Promise.all([session.approve(call!.id), session.dispose()]);
    expect([turn.outcome, pay.runs]).toEqual(['completed', [1]]);
  });

  it('an interrupted run stays interrupted after a disposal', async () => {
    const sessions = memorySessions();
    const slow = heldTool('slow');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: 1 }] }, { text: 'ok' }], {
      tools: [slow.tool],
    });
    const first = stored(sessions, { agent });
    void first.sendMessage('Hi');
    await vi.waitFor(() => expect(slow.runs).toHaveLength(1));
    await first.flush();
    // The page is gone: another one reads the stored session, shows it, and closes it again.
    const copy = memorySessions();
    await copy.save(loadedSession(await sessions.load('a'))!, { expectedVersion: 0 });
    const second = stored(copy, { agent });
    await second.ready;
    expect(statusOf(second)).toBe('interrupted');
    await second.dispose();
    const third = stored(copy, { agent });
    await third.ready;
    expect(statusOf(third)).toBe('interrupted');
    const turn = third.resume();
    await vi.waitFor(() => expect(slow.runs).toHaveLength(2));
    slow.end();
    expect(await turn).toMatchObject({ kind: 'resume', outcome: 'completed' });
  });

  it('a run continues after the disposal and is saved', async () => {
    const sessions = memorySessions();
    const onFinish = vi.fn();
    const session = stored(sessions, { agent: scriptedAgent([{ text: 'A', delayMs: 40 }]), onFinish });
    const turn = session.sendMessage('Hi');
    await seen(session);
    await session.dispose();
    expect(onFinish).not.toHaveBeenCalled();
    expect(await turn).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(onFinish).toHaveBeenCalledTimes(1);
    expect(texts(await storedState(sessions))).toEqual(['Hi', 'A']);
  });

  it('a message just before the disposal stays in the stored queue, and the model is not called', async () => {
    const sessions = memorySessions();
    const model = vi.fn(() => ({ text: 'paid' }));
    const session = stored(sessions, { agent: scriptedAgent([model]) });
    await session.ready;
    const turn = session.sendMessage('Hi');
    await session.dispose();
    expect((await turn).status).toBe('queued');
    expect(await session.sendMessage('later')).toMatchObject({
      status: 'refused',
      error: { code: 'session-disposed' },
    });
    expect(model).not.toHaveBeenCalled();
    const record = loadedSession(await sessions.load('a'))!;
    expect([texts(record.state), record.queue.map(({ text }) => text)]).toEqual([[], ['Hi']]);
  });

  it('queued messages settle at the disposal and are cancelled without a store', async () => {
    const session = createAgentSession({ agent: scriptedAgent([{ text: 'A', delayMs: 30 }]) });
    const first = session.sendMessage('one');
    await seen(session);
    const [second] = [session.sendMessage('two'), session.dispose()];
    expect((await second).status).toBe('cancelled');
    expect((await first).outcome).toBe('completed');
  });
});

describe('a turn that never ran', () => {
  it('a turn that never ran is refused with its error, and no callback receives the run before', async () => {
    const sessions = memorySessions();
    const broken = { ...sessions, load: () => Promise.reject(new Error('damaged')) };
    const onFinish = vi.fn();
    const session = stored(broken, { onFinish, onBusy: 'reject' });
    expect(await session.sendMessage('Hi')).toMatchObject({
      status: 'refused',
      outcome: null,
      stopReason: null,
      error: { message: 'damaged' },
    });
    expect([statusOf(session), onFinish.mock.calls]).toEqual(['error', []]);
    await expect(session.reset()).rejects.toThrow('damaged');
    session.setDraft('typed into the dark');
    await session.flush();
    expect(loadedSession(await sessions.load('a'))).toBeNull();
  });
});

describe('commands before the stored session was read', () => {
  it('early commands wait for the stored session, nothing is undone and all of it is saved', async () => {
    const sessions = gatedSessions(memorySessions());
    const first = stored(sessions);
    await first.sendMessage('Hi');
    await first.dispose();
    sessions.hold('load');
    const second = stored(sessions);
    const changes = [
      second.rename('Mine'),
      second.setMessages((messages) => [...messages, Message.user('put')]),
      second.update((state) => withMetadata(state, { colour: 'blue' })),
    ];
    second.setDraft('typed');
    expect(second.store.getState()).toMatchObject({ status: 'loading', draft: 'typed' });
    sessions.release();
    await Promise.all(changes);
    expect(shownTexts(second)).toEqual(['Hi', 'A', 'put']);
    await second.flush();
    const record = loadedSession(await sessions.load('a'))!;
    expect(record).toMatchObject({ title: 'Mine', draft: 'typed' });
    expect([texts(record.state), record.state.context.metadata]).toEqual([
      ['Hi', 'A', 'put'],
      { colour: 'blue' },
    ]);
  });

  it('early commands are applied in order, a reset among them', async () => {
    const sessions = gatedSessions(memorySessions());
    await stored(sessions).sendMessage('Hi');
    sessions.hold('load');
    const session = stored(sessions);
    const turn = session.sendMessage('lost to the reset');
    const reset = session.reset();
    const kept = session.sendMessage('kept');
    sessions.release();
    await Promise.all([turn, reset, kept]);
    expect(shownTexts(session)).toEqual(['kept', 'A']);
    expect((await turn).outcome).toBe('stopped');
  });
});

describe('a session that another writer changed', () => {
  const two = async (
    options: Partial<AgentSessionOptions> = {},
  ): Promise<[AgentSession, AgentSession, SessionStore]> => {
    const sessions = memorySessions();
    const [a, b] = [stored(sessions, options), stored(sessions, options)];
    await Promise.all([a.ready, b.ready]);
    await a.sendMessage('from a');
    return [a, b, sessions];
  };

  it('a session that another writer changed is reloaded before the model is called, with the new message after it', async () => {
    const model = vi.fn(() => ({ text: 'A' }));
    const [, b, sessions] = await two({ agent: scriptedAgent([model]) });
    model.mockClear();
    expect(await b.sendMessage('from b')).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(shownTexts(b)).toEqual(['from a', 'A', 'from b', 'A']);
    expect(model).toHaveBeenCalledTimes(1);
    expect(texts(await storedState(sessions))).toEqual(shownTexts(b));
    expect(b.store.getState().persistence.status).toBe('saved');
  });

  it('a message is stored once, though its writer never learned that it was stored', async () => {
    const sessions = memorySessions();
    let isLost = true;
    const losing: SessionStore = {
      ...sessions,
      async save(record, options) {
        const version = await sessions.save(record, options);
        if (!isLost) return version;
        isLost = false;
        throw new Error('the connection broke');
      },
    };
    const session = stored(losing);
    await session.ready;
    await session.sendMessage('one');
    expect((await session.sendMessage('two')).outcome).toBe('completed');
    expect(shownTexts(session).filter((text) => text !== 'A')).toEqual(['one', 'two']);
    expect(texts(await storedState(sessions))).toEqual(shownTexts(session));
  });

  it('a session keeps every further message after a conflict', async () => {
    const [a, b, sessions] = await two();
    await b.sendMessage('b1');
    await a.sendMessage('a2');
    b.clearError();
    await b.sendMessage('b2');
    expect(texts(await storedState(sessions))).toEqual(['from a', 'A', 'b1', 'A', 'a2', 'A', 'b2', 'A']);
  });

  it('an overtaken session runs a retry on the second request', async () => {
    const model = vi.fn(() => ({ delayMs: 5, error: new Error('gone') }));
    const [a, b] = await two({ agent: scriptedAgent([model]) });
    await a.sendMessage('first');
    await b.rename('Touched');
    await a.sendMessage('second');
    model.mockClear();
    const turns = await Promise.all([b.retry(), b.retry()]);
    expect(turns.map(({ status }) => status)).toEqual(['done', 'refused']);
    expect(model).toHaveBeenCalledTimes(1);
  });
});

describe('the stored parts of a session', () => {
  it('a queue, steered messages and a draft return after a reload and wait for a person', async () => {
    const sessions = memorySessions();
    const held = heldTool('slow');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: 0 }] }, { text: 'B' }], {
      tools: [held.tool],
    });
    const first = stored(sessions, { agent });
    void first.sendMessage('one');
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    void first.sendMessage('two', { model: 'fast' });
    void first.sendMessage('steered', { onBusy: 'steer' });
    first.setDraft('unsent');
    await first.flush();
    const copy = memorySessions();
    await copy.save(loadedSession(await sessions.load('a'))!, { expectedVersion: 0 });
    const second = stored(copy, { agent: scriptedAgent([{ text: 'C' }]) });
    await second.ready;
    const { queue, draft, status } = second.store.getState();
    expect([queue.map(({ text, isSteered }) => [text, isSteered]), draft, status]).toEqual([
      [
        ['steered', true],
        ['two', false],
      ],
      'unsent',
      'interrupted',
    ]);
    expect(queue[1]?.options).toEqual({ model: 'fast' });
    await second.sendMessage('three');
    expect(shownTexts(second).filter((text) => text !== '')).toEqual([
      'one',
      'steered',
      'C',
      'two',
      'C',
      'three',
      'C',
    ]);
  });

  it('a session is in the hub from its first use until its run has ended after disposal', async () => {
    const ids = (): string[] =>
      sessionHub()
        .sources()
        .map(({ id }) => id);
    const gate = createDeferred<void>();
    const agent = scriptedAgent([{ text: 'A', delayMs: 30 }]);
    const session = createAgentSession({
      agent,
      sessionId: 'hub-a',
      publish: 'immediate',
      onFinish: () => gate.resolve(),
    });
    expect(ids()).not.toContain('hub-a');
    void session.sendMessage('Hi');
    await seen(session);
    const [source] = sessionHub()
      .sources()
      .filter(({ id }) => id === 'hub-a');
    expect([source?.name, source?.journal.state()]).toEqual(['agent', session.store.getState().state]);
    const closed = session.dispose();
    expect(ids()).toContain('hub-a');
    await Promise.all([gate.promise, closed]);
    await vi.waitFor(() => expect(ids()).not.toContain('hub-a'));
  });
});

describe('listeners that throw', () => {
  it('listeners that throw do not disturb saves, messages, runs or other listeners', async () => {
    const fail = (): never => {
      throw new Error('listener');
    };
    const sessions = localStorageSessions({ storage: fakeStorage() });
    const ends = [sessions.subscribe?.(fail), sessionHub().subscribe(fail)];
    const heard = vi.fn();
    const session = stored(sessions, { onEvent: fail, onFinish: fail, onError: fail });
    session.store.subscribe(fail);
    session.store.subscribe(heard);
    session.onEvent(fail);
    expect((await session.sendMessage('one')).outcome).toBe('completed');
    expect((await session.sendMessage('two')).outcome).toBe('completed');
    expect(session.store.getState()).toMatchObject({ status: 'ready', persistence: { status: 'saved' } });
    expect(heard).toHaveBeenCalled();
    expect(shownTexts(session)).toEqual(['one', 'A', 'two', 'A']);
    await session.dispose();
    for (const end of ends) end?.();
  });
});

describe('the settings of a session', () => {
  it('changed settings onBusy, publish and resume apply at their next use', async () => {
    const held = heldTool('slow');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: 0 }] }, { text: 'B' }], {
      tools: [held.tool],
    });
    const session = createAgentSession({ agent, publish: 100_000 });
    const first = session.sendMessage('one');
    session.configure({ agent, publish: 'immediate', onBusy: 'reject' });
    await vi.waitFor(() => expect(session.store.getState().activity.type).toBe('tool'));
    expect((await session.sendMessage('two')).status).toBe('refused');
    held.end();
    await first;
    const interrupted = createAgentSession({ agent, initialState: await interruptedState() });
    await interrupted.ready;
    expect(statusOf(interrupted)).toBe('interrupted');
    interrupted.configure({ agent, resume: true });
    await vi.waitFor(() => expect(statusOf(interrupted)).toBe('ready'));
    expect(shownTexts(interrupted).at(-1)).toBe('B');
  });
});

/** The state of a session that was left while its model was called. */
async function interruptedState(): Promise<ReturnType<AgentSession['store']['getState']>['state']> {
  const session = createAgentSession({
    agent: scriptedAgent([{ text: 'never', delayMs: 10_000 }]),
    publish: 'immediate',
  });
  void session.sendMessage('left');
  await seen(session);
  const { state } = session.store.getState();
  void session.stop();
  return state;
}

describe('the isSettled value of a session', () => {
  it('a session is unsettled from a command until its effects are stored', async () => {
    const gate = createDeferred<void>();
    const sessions = memorySessions();
    const save: SessionStore['save'] = async (...given) => {
      await gate.promise;
      return sessions.save(...given);
    };
    const session = stored({ ...sessions, save });
    expect(session.isSettled()).toBe(true);
    const turn = session.sendMessage('Hi');
    expect(session.isSettled()).toBe(false);
    await session.ready;
    expect(session.isSettled()).toBe(false);
    gate.resolve();
    await turn;
    await session.flush();
    expect(session.isSettled()).toBe(true);
    session.setDraft('half');
    expect(session.isSettled()).toBe(false);
    await session.flush();
    expect(session.isSettled()).toBe(true);
  });

  it('a session whose last write failed is unsettled', async () => {
    const sessions = memorySessions();
    let isFull = true;
    const save: SessionStore['save'] = async (...given) => {
      if (isFull) throw new Error('full');
      return sessions.save(...given);
    };
    const session = stored({ ...sessions, save });
    session.setDraft('half');
    await session.ready;
    await session.flush();
    expect(session.isSettled()).toBe(false);
    isFull = false;
    await session.flush();
    expect(session.isSettled()).toBe(true);
  });
});

describe('the stop command', () => {
  it('a stop resolves while the store does not answer, and the model is not called', async () => {
    const sessions = memorySessions();
    const gated = gatedSessions(sessions);
    const model = vi.fn(() => ({ text: 'A' }));
    const session = stored(gated, { agent: scriptedAgent([model]) });
    await session.ready;
    gated.hold('save');
    const sent = session.sendMessage('Hi');
    await session.stop();
    expect([statusOf(session), model.mock.calls]).toEqual(['ready', []]);
    gated.release();
    expect(await sent).toMatchObject({ status: 'done', outcome: 'stopped', stored: true });
  });
});
