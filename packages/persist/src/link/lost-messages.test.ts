import { describe, expect, it } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { shownTexts } from '@vitrine/testing/internal/session.fixture';
import { simulatedTabs, type SimulatedTab } from '@vitrine/testing/internal/simulated-tabs.fixture';
import { simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { type LinkMessage, unseal, type Place, seal } from './protocol.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** Tabs on one session; `isLost` decides for each message whether the channel drops it. */
async function stage(isLost: () => boolean, more: { readonly outbox?: undefined } = {}) {
  await loadParts();
  const time = simulatedTime();
  const links = simulatedTabs([1], time.sleep, isLost);
  const sessions = memorySessions();
  await sessions.load('a');
  let count = 0;
  const open = (): { session: AgentSession; tab: SimulatedTab } => {
    const tab = links.open();
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'yes' }]),
      sessions: { ...sessions, ...more, tabs: tab.link } as SessionStore,
      sessionId: 'a',
      publish: 'immediate',
      env: time.env(count++),
    });
    void session.ready;
    return { session, tab };
  };
  const done = async <Value>(work: Promise<Value>): Promise<Value> => {
    let result: { readonly value: Value } | null = null;
    void work.then((value) => (result = { value }));
    await time.until(
      () => result !== null,
      () => 'work',
    );
    return (result as unknown as { value: Value }).value;
  };
  const queued = async (): Promise<readonly string[]> => {
    const record = loadedSession(await sessions.load('a'));
    const commands = (await sessions.outbox.take('a')) as readonly { message?: { text?: string } }[];
    return [
      ...(record?.queue ?? []).map(({ text }) => text),
      ...commands.map(({ message }) => message?.text ?? ''),
    ];
  };
  return { time, open, done, sessions, queued, links };
}

describe('a message of a tab that follows', () => {
  it('a message is in the store when its new tab closes at once and reports it as queued', async () => {
    const { time, open, done, queued } = await stage(() => false);
    const leader = open();
    await time.pass(50);
    const { session } = open();
    const sent = session.sendMessage('Hello');
    expect(await done(session.dispose())).toEqual({ stored: true });
    const turn = await done(sent);
    await time.pass(5000);
    const words = [...(await queued()), ...shownTexts(leader.session)];
    expect([turn.status, turn.stored, words]).toEqual(['queued', true, expect.arrayContaining(['Hello'])]);
  });

  it('a message waits in the next tab for a person when all tabs close in one tick', async () => {
    const { time, open, done } = await stage(() => false);
    const tabs = [open(), open()];
    await time.pass(200);
    const sent = tabs[1]!.session.sendMessage('Hello');
    const closed = tabs.map(({ session }) => session.dispose());
    await done(Promise.all(closed));
    expect((await done(sent)).stored).toBe(true);
    const { session } = open();
    await time.pass(5000);
    expect(session.store.getState().queue.map(({ text }) => text)).toEqual(['Hello']);
    await done(session.resume());
    expect(shownTexts(session)).toEqual(['Hello', 'yes']);
  });

  it('a tab whose store keeps no commands says that a message without an answer is not stored', async () => {
    let isLost = false;
    const { time, open, done } = await stage(() => isLost, { outbox: undefined });
    open();
    await time.pass(50);
    const { session } = open();
    await time.pass(200);
    expect((await done(session.sendMessage('One'))).stored).toBe(true);
    isLost = true;
    const sent = session.sendMessage('Two');
    expect(await done(session.dispose())).toEqual({ stored: false });
    expect(await done(sent)).toMatchObject({ status: 'queued', stored: false });
  });

  it('a message is answered once though the channel loses the first messages of every kind', async () => {
    for (const lost of [1, 2, 3, 5, 8, 13]) {
      let count = 0;
      const { time, open, done } = await stage(() => count++ < lost);
      const leader = open();
      await time.pass(50);
      const { session } = open();
      await time.pass(100);
      expect((await done(session.sendMessage('Hello'))).status).toBe('done');
      await time.pass(60_000);
      expect([shownTexts(leader.session), shownTexts(session)]).toEqual([
        ['Hello', 'yes'],
        ['Hello', 'yes'],
      ]);
    }
  });

  it('a message is answered once its tab leads, though the channel loses everything', async () => {
    const { time, open, done } = await stage(() => true);
    const leader = open();
    await time.pass(50);
    const { session } = open();
    await time.pass(100);
    const sent = session.sendMessage('Hello');
    await time.pass(20_000);
    // The leader finds the command in the store, and its answer is lost.
    expect(shownTexts(leader.session)).toEqual(['Hello', 'yes']);
    leader.tab.kill();
    expect((await done(sent)).status).toBe('done');
    expect(shownTexts(session)).toEqual(['Hello', 'yes']);
  });
});

describe('the leader of a session', () => {
  it('the leader tells only a follower of its own term that it is up to date, and any other the whole state', async () => {
    const { time, open, done, links } = await stage(() => false);
    const leader = open();
    await time.pass(50);
    await done(leader.session.sendMessage('Hello'));
    const heard: LinkMessage[] = [];
    const channel = links.open().link.open(links.channels()[0]!, (data) => {
      const message = unseal(data);
      if (message !== null) heard.push(message);
    });
    const say = async (seen: Place | null): Promise<readonly string[]> => {
      heard.length = 0;
      channel.post(seal({ type: 'hello', id: 'other', have: null, seen }));
      await time.pass(50);
      return heard.map(({ type }) => type);
    };
    expect(await say(null)).toEqual(['document']);
    const { term, n } = heard[0] as Place & LinkMessage;
    expect(await say({ term, n })).toEqual(['term']);
    expect(await say({ term: term - 1, n })).toEqual(['document']);
    expect(await say({ term, n: n - 1 })).toEqual(['document']);
  });
});

describe('a tab that opens while another one runs the session', () => {
  it('a new tab shows no interrupted run before it has heard from the leader', async () => {
    const { time, open, done } = await stage(() => false);
    const leader = open();
    await time.pass(50);
    void leader.session.sendMessage('Hello');
    await time.until(
      () => leader.session.store.getState().state.execution !== null,
      () => 'the run',
    );
    await done(leader.session.flush());
    const { session } = open();
    const seen: string[] = [];
    session.store.subscribe(({ status }) => void seen.push(status));
    await time.pass(5000);
    expect(seen).not.toContain('interrupted');
    expect(shownTexts(session)).toEqual(['Hello', 'yes']);
  });
});

describe('a message of the tab that runs the session', () => {
  it('its turn reports the message as stored although other tabs may follow', async () => {
    const { time, open, done } = await stage(() => false);
    const { session } = open();
    await time.pass(50);
    expect(await done(session.sendMessage('Hello'))).toMatchObject({ status: 'done', stored: true });
    expect(await done(session.flush())).toEqual({ stored: true });
  });
});
