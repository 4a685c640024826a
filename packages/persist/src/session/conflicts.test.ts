import { describe, expect, it, vi } from 'vitest';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import {
  askingTool,
  gatedSessions,
  heldTool,
  shownTexts,
  storedState,
  texts,
} from '@vitrine/testing/internal/session.fixture';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import type {
  AgentSession,
  AgentSessionOptions,
  ConflictPolicy,
  Turn,
} from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { liveMessages } from '@vitrine/core/internal/session/machine/state-facts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

const fast = { sessionId: 'a', publish: 'immediate' } as const;
const answering = scriptedAgent([{ text: 'yes' }]);
const open = (sessions: SessionStore, options: Partial<AgentSessionOptions> = {}): AgentSession =>
  createAgentSession({ agent: answering, sessions, ...fast, ...options });
const shown = (session: AgentSession): ReturnType<AgentSession['store']['getState']> =>
  session.store.getState();

/** The text of the answer in progress. */
const shownParts = (session: AgentSession): string =>
  JSON.stringify(liveMessages(shown(session).state).map(({ parts }) => parts));

/** Sends a message from another device. */
async function sayElsewhere(sessions: SessionStore, words: string): Promise<void> {
  const other = open(sessions);
  await other.ready;
  await other.sendMessage(words);
  await other.dispose();
}

/**
 * A session whose paid answer another device has overtaken: its tool has run, and its write comes too late.
 */
async function overtake(
  sessions: SessionStore,
  onConflict: ConflictPolicy,
): Promise<{ session: AgentSession; asked: Promise<Turn>; model: ReturnType<typeof vi.fn> }> {
  const held = heldTool('look');
  const model = vi.fn(() => ({ text: 'found', delayMs: 30 }));
  const script = [{ toolCalls: [{ name: 'look', input: 0 }] }, model as unknown as ScriptedEntry];
  const agent = scriptedAgent(script, { tools: [held.tool] });
  const session = open(sessions, { agent, onConflict });
  await session.ready;
  const asked = session.sendMessage('Look');
  await vi.waitFor(() => expect(held.runs).toHaveLength(1));
  await session.flush();
  await sayElsewhere(sessions, 'Meanwhile');
  held.end('a paid answer');
  return { session, asked, model };
}

describe('a session that another device writes to during its run', () => {
  it('an overtaken turn keeps its paid answer in a fork, and the session shows the stored state', async () => {
    const sessions = memorySessions();
    const { session, asked } = await overtake(sessions, 'rebase');
    const turn = await asked;
    expect(turn).toMatchObject({ status: 'overtaken', stored: true, error: { code: 'session-conflict' } });
    expect(await session.flush()).toEqual({ stored: true });
    expect(await session.dispose()).toEqual({ stored: true });
    const forked = await storedState(sessions, turn.forkedTo!);
    expect(JSON.stringify(forked.context.store)).toContain('a paid answer');
    expect(shownTexts(session)).toContain('Meanwhile');
    expect(texts(await storedState(sessions))).toEqual(shownTexts(session));
    expect(shown(session).persistence).toMatchObject({ status: 'saved', forkedTo: turn.forkedTo });
  });

  it('an overtaken session calls no model once the conflict is known', async () => {
    const { session, asked, model } = await overtake(memorySessions(), 'rebase');
    await asked;
    const calls = model.mock.calls.length;
    await session.flush();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(calls).toBeLessThanOrEqual(1);
    expect(model).toHaveBeenCalledTimes(calls);
    expect((await session.sendMessage('And now')).status).toBe('done');
    expect(shownTexts(session)).toContain('And now');
  });

  it('a turn that was over before the conflict was found reports where its messages are', async () => {
    const sessions = memorySessions();
    const gated = gatedSessions(sessions);
    const session = open(gated);
    await session.ready;
    const asked = session.sendMessage('first');
    await vi.waitFor(() => expect(shownTexts(session)).toEqual(['first']));
    await session.flush();
    gated.hold('save');
    await vi.waitFor(() => expect(shownTexts(session)).toEqual(['first', 'yes']));
    await sayElsewhere(sessions, 'Meanwhile');
    gated.release();
    const turn = await asked;
    expect([turn.stored, turn.forkedTo === null ? turn.status : 'forked']).toEqual([true, 'forked']);
    expect(texts(await storedState(sessions, turn.forkedTo!))).toEqual(['first', 'yes']);
    expect(texts(await storedState(sessions))).toContain('Meanwhile');
  });

  it('the policy fork keeps everything unsaved in a fork, with the message that had not begun', async () => {
    const sessions = memorySessions();
    const session = open(sessions, { onConflict: 'fork' });
    await session.sendMessage('first');
    await sayElsewhere(sessions, 'Meanwhile');
    const turn = await session.sendMessage('And now');
    expect(turn).toMatchObject({ status: 'overtaken', stored: true, error: { code: 'session-conflict' } });
    expect(texts(await storedState(sessions, turn.forkedTo!))).toEqual(['first', 'yes', 'And now']);
    expect(shownTexts(session)).toEqual(['first', 'yes', 'Meanwhile', 'yes']);
    expect((await sessions.list()).sessions).toHaveLength(2);
  });

  it('a conflict makes no fork of stored messages', async () => {
    const sessions = memorySessions();
    const [one, two] = [open(sessions), open(sessions)];
    await Promise.all([one.ready, two.ready]);
    await one.sendMessage('first');
    const second = await two.sendMessage('second');
    expect(second).toMatchObject({ status: 'done', stored: true, forkedTo: null });
    await one.sendMessage('third');
    expect(shownTexts(one)).toEqual(['first', 'yes', 'second', 'yes', 'third', 'yes']);
    expect((await sessions.list()).sessions).toHaveLength(1);
  });
});

describe('an answer in progress that another device overtakes', () => {
  it.each(['rebase', 'fork', 'ask'] as const)(
    'an overtaken answer is in the fork as far as it had come, with the policy %s',
    async (policy) => {
      const sessions = memorySessions();
      const model = vi.fn(() => ({ chunks: ['Once ', 'upon a time'], delayMs: 60 }));
      const agent = scriptedAgent([model as unknown as ScriptedEntry]);
      const session = open(sessions, { agent, onConflict: policy });
      await session.ready;
      const asked = session.sendMessage('Tell');
      await session.flush();
      await vi.waitFor(() => expect(shownParts(session)).toContain('Once '), { interval: 5 });
      await sayElsewhere(sessions, 'Meanwhile');
      await session.flush();
      const turn = await asked;
      expect(turn.status).toBe('overtaken');
      if (policy === 'ask') await session.resolveConflict('rebase');
      const { forkedTo } = shown(session).persistence;
      if (policy !== 'ask') expect(turn).toMatchObject({ stored: true, forkedTo });
      expect(texts(await storedState(sessions, forkedTo))).toEqual([
        'Tell',
        expect.stringContaining('Once '),
      ]);
      expect(texts(await storedState(sessions))).toEqual(['Tell', 'Meanwhile', 'yes']);
      expect(model).toHaveBeenCalledTimes(1);
    },
  );
});

describe('a conflict that a person decides', () => {
  it('a conflict under ask aborts the run and changes nothing before it is resolved', async () => {
    for (const policy of ['rebase', 'fork'] as const) {
      const sessions = memorySessions();
      const { session, asked } = await overtake(sessions, 'ask');
      expect(await asked).toMatchObject({ status: 'overtaken', stored: false, forkedTo: null });
      const before = await sessions.load('a');
      expect(shown(session)).toMatchObject({ status: 'conflict', persistence: { status: 'degraded' } });
      expect(await session.sendMessage('And now')).toMatchObject({ status: 'queued' });
      expect(await session.retry()).toMatchObject({ status: 'refused', error: { code: 'session-conflict' } });
      expect(await sessions.load('a')).toEqual(before);
      expect((await sessions.list()).sessions).toHaveLength(1);

      await session.resolveConflict(policy);
      await vi.waitFor(() => expect(shownTexts(session)).toContain('And now'));
      expect(shownTexts(session)).toContain('Meanwhile');
      await vi.waitFor(() => expect(shown(session).status).toBe('ready'));
      const { forkedTo } = shown(session).persistence;
      expect(JSON.stringify(await storedState(sessions, forkedTo))).toContain('a paid answer');
      await session.resolveConflict(policy);
      await session.dispose();
    }
  });

  it('an open conflict keeps unsaved messages in a fork when the session is disposed', async () => {
    const sessions = memorySessions();
    const { session, asked } = await overtake(sessions, 'ask');
    await asked;
    void session.sendMessage('And now');
    expect(await session.dispose()).toEqual({ stored: true });
    const { forkedTo } = shown(session).persistence;
    expect(JSON.stringify(await storedState(sessions, forkedTo))).toContain('a paid answer');
    expect(loadedSession(await sessions.load('a'))?.queue.map(({ text }) => text)).toEqual(['And now']);
  });
});

describe('a session that is disposed while another device writes', () => {
  it('a message that was sent, stopped at once and disposed is stored', async () => {
    const sessions = memorySessions();
    await sayElsewhere(sessions, 'Before');
    const session = open(sessions);
    await session.ready;
    await sayElsewhere(sessions, 'Meanwhile');
    const sent = session.sendMessage('Wait');
    void session.stop();
    expect(await session.dispose()).toEqual({ stored: true });
    const turn = await sent;
    expect(turn.stored).toBe(true);
    const record = loadedSession(await sessions.load('a'));
    const where = turn.forkedTo === null ? 'a' : turn.forkedTo;
    expect([
      ...texts(await storedState(sessions, where)),
      ...record!.queue.map(({ text }) => text),
    ]).toContain('Wait');
  });

  it('a message reported as queued is in the stored queue', async () => {
    const sessions = memorySessions();
    const session = open(sessions);
    await session.sendMessage('Before');
    await sayElsewhere(sessions, 'Meanwhile');
    const sent = session.sendMessage('Later');
    expect(await session.dispose()).toEqual({ stored: true });
    expect(await sent).toMatchObject({ status: 'queued', stored: true });
    expect(loadedSession(await sessions.load('a'))?.queue.map(({ text }) => text)).toEqual(['Later']);
  });
});

describe('two devices that continue one run', () => {
  const paying = (): { pay: ReturnType<typeof askingTool>; agent: typeof answering; calls: () => number } => {
    const pay = askingTool('pay');
    const model = vi.fn(() => ({ text: 'paid' }));
    const script = [{ toolCalls: [{ name: 'pay', input: 1 }] }, model as unknown as ScriptedEntry];
    return { pay, agent: scriptedAgent(script, { tools: [pay.tool] }), calls: () => model.mock.calls.length };
  };

  it('two devices pay once: a call that the phone approved is never requested again on the laptop', async () => {
    const sessions = memorySessions();
    const { pay, agent } = paying();
    const laptop = open(sessions, { agent });
    await laptop.sendMessage('Pay');
    const phone = open(sessions, { agent });
    await phone.ready;
    const [id] = pendingApprovals(shown(phone).state).map((call) => call.id) as [string];
    expect((await phone.approve(id)).outcome).toBe('completed');
    const late = await laptop.approve(id);
    expect(late).toMatchObject({ status: 'overtaken', error: { code: 'session-conflict' } });
    expect(pay.runs).toEqual([1]);
    expect(pendingApprovals(shown(laptop).state)).toEqual([]);
    expect(shownTexts(laptop)).toEqual(shownTexts(phone));
  });

  it('two devices that resume one run at the same time call the model once', async () => {
    const sessions = memorySessions();
    const { agent, calls } = paying();
    const first = open(sessions, { agent });
    await first.sendMessage('Pay');
    const devices = [open(sessions, { agent }), open(sessions, { agent })];
    await Promise.all(devices.map(({ ready }) => ready));
    const [id] = pendingApprovals(shown(first).state).map((call) => call.id) as [string];
    const turns = await Promise.all(devices.map((device) => device.approve(id)));
    expect(calls()).toBe(1);
    expect(turns.map(({ status }) => status).sort()).toEqual(['done', 'overtaken']);
  });
});

describe('the writer epoch of a run', () => {
  it('the writer epoch is taken before the first call of the model and again when a run is resumed', async () => {
    const sessions = memorySessions();
    const order: string[] = [];
    const taking: SessionStore = {
      ...sessions,
      async takeEpoch(id) {
        order.push('epoch');
        return sessions.takeEpoch(id);
      },
    };
    const pay = askingTool('pay');
    const model = (): { text: string } => {
      order.push('model');
      return { text: 'paid' };
    };
    const first = vi.fn(() => {
      order.push('model');
      return { toolCalls: [{ name: 'pay', input: 1 }] };
    });
    const agent = scriptedAgent([first as unknown as ScriptedEntry, model], { tools: [pay.tool] });
    const session = open(taking, { agent });
    await session.sendMessage('Pay');
    expect(order).toEqual(['epoch', 'model']);
    await session.approve(pendingApprovals(shown(session).state)[0]!.id);
    expect(order).toEqual(['epoch', 'model', 'epoch', 'model']);
    expect(loadedSession(await sessions.load('a'))?.epoch).toBe(2);
  });

  it('a writer with an older epoch stops before it calls the model again', async () => {
    const sessions = memorySessions();
    const session = open(sessions);
    await session.sendMessage('first');
    await sessions.takeEpoch('a');
    const model = vi.fn(() => ({ text: 'again' }));
    session.configure({ agent: scriptedAgent([model]), publish: 'immediate' });
    const turn = await session.sendMessage('second');
    expect(turn).toMatchObject({ status: 'done', stored: true });
    expect(model).toHaveBeenCalledTimes(1);
    expect(loadedSession(await sessions.load('a'))?.epoch).toBe(3);
  });

  it('the writer epoch is taken later while the store is away, and a tool with an effect once waits for it', async () => {
    const sessions = memorySessions();
    let isAway = true;
    const away = (): Promise<never> => Promise.reject(new Error('away'));
    const pay = heldTool('pay', { effects: 'once' });
    const script = [{ toolCalls: [{ name: 'pay', input: 1 }] }, { text: 'paid' }];
    const session = open(
      { ...sessions, takeEpoch: (id) => (isAway ? away() : sessions.takeEpoch(id)) },
      { agent: scriptedAgent(script, { tools: [pay.tool] }) },
    );
    const turn = await session.sendMessage('Pay');
    expect(turn.status).toBe('awaiting-input');
    const [call] = pendingApprovals(shown(session).state);
    expect([pay.runs, call?.approval?.cause]).toEqual([[], 'not-stored']);
    isAway = false;
    expect(await session.flush()).toEqual({ stored: true });
    expect(loadedSession(await sessions.load('a'))?.epoch).toBe(1);
    await session.dispose();
  });
});

describe('the ids of taken commands', () => {
  it('the ids of taken commands are stored with their effects', async () => {
    const sessions = memorySessions();
    const session = open(sessions);
    const turn = await session.sendMessage('Hi');
    await session.rename('Named');
    const taken = loadedSession(await sessions.load('a'))?.taken ?? [];
    expect(taken).toHaveLength(2);
    expect(taken[0]).toBe(turn.id);
  });
});

describe('a session that the browser has evicted', () => {
  it('an evicted session is saved anew as a whole, and its run continues', async () => {
    const sessions = memorySessions();
    const session = open(sessions);
    await session.sendMessage('first');
    const evicted = memorySessions();
    Object.assign(sessions, {
      load: evicted.load,
      save: evicted.save,
      append: evicted.append,
      takeEpoch: evicted.takeEpoch,
    });
    expect(await session.sendMessage('second')).toMatchObject({
      status: 'done',
      stored: true,
      forkedTo: null,
    });
    expect(texts(await storedState(evicted))).toEqual(['first', 'yes', 'second', 'yes']);
    expect(shown(session).status).toBe('ready');
  });
});
