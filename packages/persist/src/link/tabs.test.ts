import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import { pendingApprovals, stopReason } from '@vitrine/core/internal/graph/agent-state/accessors';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import {
  askingTool,
  heldTool,
  shownTexts,
  storedState,
  texts,
} from '@vitrine/testing/internal/session.fixture';
import { simulatedTabs } from '@vitrine/testing/internal/simulated-tabs.fixture';
import type { AgentSession, AgentSessionOptions } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

type Tab = { readonly session: AgentSession; readonly kill: () => void };

/** Tabs on one session over a shared store. */
function createTabs(): {
  store: SessionStore;
  open: (
    script: readonly ScriptedEntry[],
    more?: Partial<AgentSessionOptions>,
    own?: Partial<SessionStore>,
  ) => Promise<Tab>;
} {
  const store = memorySessions();
  const tabs = simulatedTabs([0], (ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  return {
    store,
    async open(script, more = {}, own = {}) {
      const { link, kill } = tabs.open();
      const agent = more.agent ?? scriptedAgent(script);
      const sessions = { ...store, ...own, tabs: link };
      const session = createAgentSession({
        ...more,
        agent,
        sessions,
        sessionId: 'a',
        publish: 'immediate',
      });
      await session.ready;
      return { session, kill };
    },
  };
}

const snapshot = (session: AgentSession): ReturnType<AgentSession['store']['getState']> =>
  session.store.getState();

describe('a second tab on a session', () => {
  it('a second tab shows the actions of the first while they happen', async () => {
    const { open } = createTabs();
    const held = heldTool('look');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'look', input: 0 }] }, { text: 'found' }], {
      tools: [held.tool],
    });
    const { session: first } = await open([], { agent });
    const { session: second } = await open([]);
    const sent = first.sendMessage('Look');
    await vi.waitFor(() => expect(snapshot(second).activity).toMatchObject({ type: 'tool' }));
    expect(snapshot(second)).toMatchObject({ status: 'streaming', turn: { kind: 'send' } });
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    held.end();
    await sent;
    await vi.waitFor(() => expect(shownTexts(second)).toEqual(['Look', '', 'found']));
    await vi.waitFor(() => expect(snapshot(second).status).toBe('ready'));
    expect(snapshot(second).state).toEqual(snapshot(first).state);
    expect(snapshot(second).title).toBe('Look');
  });

  it('a second tab has its commands done by the first and receives the results', async () => {
    const { open } = createTabs();
    const pay = askingTool('pay');
    const script = [{ toolCalls: [{ name: 'pay', input: 1 }] }, { text: 'paid' }, { text: 'more' }];
    const { session: first } = await open([], { agent: scriptedAgent(script, { tools: [pay.tool] }) });
    const model = vi.fn();
    const { session: second } = await open([model]);
    expect(await second.sendMessage('Pay')).toMatchObject({ status: 'awaiting-input' });
    const [call] = pendingApprovals(snapshot(second).state);
    expect(await second.approve(call!.id)).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(shownTexts(second)).toEqual(['Pay', '', 'paid']);
    expect(await second.approve(call!.id)).toMatchObject({
      status: 'refused',
      error: { code: 'approval-unknown' },
    });
    await second.rename('Ours');
    expect(snapshot(first).title).toBe('Ours');
    const [message] = snapshot(second).state.context.store.sections[0]!.messages;
    expect(await second.edit(message!.id, 'Again')).toMatchObject({ kind: 'edit', outcome: 'completed' });
    expect([shownTexts(first), shownTexts(second)]).toEqual([
      ['Again', 'more'],
      ['Again', 'more'],
    ]);
    const [again] = snapshot(second).state.context.store.sections[0]!.messages;
    expect(second.branches(again!.id).ids).toEqual([message!.id, again!.id]);
    expect([pay.runs, model.mock.calls]).toEqual([[1], []]);
  });

  it('a leader that closes obeys a stop of another tab while its run goes on', async () => {
    const { open } = createTabs();
    const held = heldTool('look');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'look', input: 0 }] }, { text: 'found' }], {
      tools: [held.tool],
    });
    const { session: first } = await open([], { agent });
    const { session: second } = await open([]);
    void first.sendMessage('Look');
    await vi.waitFor(() => expect(snapshot(second).activity).toMatchObject({ type: 'tool' }));
    const closed = first.dispose();
    await second.stop();
    expect(await closed).toEqual({ stored: true });
    await vi.waitFor(() => expect(stopReason(snapshot(second).state)).toBe('user-requested'));
    expect(shownTexts(second)).toEqual(['Look', '']);
  });

  it('a second tab gets the lock for an update by a function and leads from then on', async () => {
    const { open, store } = createTabs();
    const { session: first } = await open([{ text: 'of the first' }]);
    const { session: second } = await open([{ text: 'of the second' }]);
    await first.sendMessage('one');
    await second.setMessages((messages) => messages.slice(0, 1));
    expect(shownTexts(second)).toEqual(['one']);
    await vi.waitFor(() => expect(shownTexts(first)).toEqual(['one']));
    expect(await first.sendMessage('two')).toMatchObject({ outcome: 'completed' });
    expect(shownTexts(first)).toEqual(['one', 'two', 'of the second']);
    expect(texts(await storedState(store))).toEqual(shownTexts(first));
  });

  it('a tab with an agent of another build answers itself once the current turn is done', async () => {
    const { open } = createTabs();
    const agentOf = (version: string): ReturnType<typeof scriptedAgent> =>
      scriptedAgent([{ text: version, delayMs: 20 }], { version });
    const { session: first } = await open([], { agent: agentOf('1') });
    const { session: second } = await open([], { agent: agentOf('2') });
    await vi.waitFor(() => expect(snapshot(second).persistence.status).toBe('idle'));
    await Promise.all([first.sendMessage('one'), second.sendMessage('two')]);
    await vi.waitFor(() => expect(shownTexts(first)).toEqual(['one', '1', 'two', '2']));
    expect(shownTexts(second)).toEqual(shownTexts(first));
  });

  it('a tab closes what a plugin opened when the session runs in another tab, and a tab that only shows it opens nothing', async () => {
    const { open } = createTabs();
    const log: string[] = [];
    const agentOf = (version: string): ReturnType<typeof scriptedAgent> => {
      const line = definePlugin({
        id: 'line',
        state: z.unknown(),
        open() {
          log.push(`open ${version}`);
          return () => log.push(`close ${version}`);
        },
      });
      return scriptedAgent([{ text: version }], { version, plugins: [line] });
    };
    const { session: first } = await open([], { agent: agentOf('1') });
    const { session: second } = await open([], { agent: agentOf('2') });
    const { session: third } = await open([], { agent: agentOf('2') });
    await vi.waitFor(() => expect(snapshot(second).persistence.status).toBe('idle'));
    await first.sendMessage('one');
    expect(log).toEqual(['open 1']);
    await second.sendMessage('two');
    await vi.waitFor(() => expect(shownTexts(third)).toEqual(['one', '1', 'two', '2']));
    expect(log).toEqual(['open 1', 'close 1', 'open 2']);
    await vi.waitFor(() => expect(shownTexts(first)).toEqual(shownTexts(third)));
    await third.dispose();
    await first.sendMessage('three');
    expect(log).toEqual(['open 1', 'close 1', 'open 2', 'close 2', 'open 1']);
    await Promise.all([first, second].map((session) => session.dispose()));
    expect(log.slice(5)).toEqual(['close 1']);
  });

  it('a second tab keeps the draft that is typed in it', async () => {
    const { open } = createTabs();
    const { session: first } = await open([]);
    const { session: second } = await open([]);
    for (const draft of ['H', 'He', 'Hel']) {
      second.setDraft(draft);
      expect(snapshot(second).draft).toBe(draft);
    }
    await vi.waitFor(() => expect(snapshot(first).draft).toBe('Hel'));
    expect(snapshot(second).draft).toBe('Hel');
  });
});

describe('a tab that dies while it runs', () => {
  it.each([
    [true, ['Look', '', 'still found']],
    [false, ['Look', '']],
  ])('the next tab continues the run of a dead tab (resume: %s)', async (resume, texts) => {
    const { open } = createTabs();
    const held = heldTool('look', { effects: 'idempotent' });
    const script = [{ toolCalls: [{ name: 'look', input: 0 }] }];
    const { session: first, kill } = await open([], { agent: scriptedAgent(script, { tools: [held.tool] }) });
    const again = heldTool('look', { effects: 'idempotent' });
    const agent = scriptedAgent([{ text: 'still found' }], { tools: [again.tool] });
    const { session: second } = await open([], { agent, resume });
    const sent = second.sendMessage('Look');
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    const { executionId } = snapshot(first).state.execution!;
    kill();
    if (resume) {
      await vi.waitFor(() => expect(again.runs).toHaveLength(1));
      again.end();
      expect(await sent).toMatchObject({ status: 'done', outcome: 'completed' });
    } else expect(await sent).toMatchObject({ status: 'awaiting-input' });
    expect(shownTexts(second)).toEqual(texts);
    expect(snapshot(second).state.execution?.executionId).toBe(executionId);
    expect(snapshot(second).status).toBe(resume ? 'ready' : 'interrupted');
  });

  it('a tab whose first read of the store failed takes over when the read is repeated', async () => {
    const { open, store } = createTabs();
    const { session: first, kill } = await open([{ text: 'of the first' }]);
    const second = await openFailing(open, store);
    await first.sendMessage('one');
    second.fail(true);
    kill();
    await vi.waitFor(() => expect(snapshot(second.session).status).toBe('error'));
    second.fail(false);
    expect(await second.session.retry()).toMatchObject({ status: 'done', error: null });
    expect(await second.session.sendMessage('two')).toMatchObject({ outcome: 'completed' });
    expect(shownTexts(second.session)).toEqual(['one', 'of the first', 'two', 'of the second']);
  });
});

/** A tab whose store may fail to read. */
async function openFailing(
  open: ReturnType<typeof createTabs>['open'],
  store: SessionStore,
): Promise<{ readonly session: AgentSession; readonly fail: (isFailing: boolean) => void }> {
  let isFailing = false;
  const load: SessionStore['load'] = async (id) => {
    if (isFailing) throw new Error('The server does not answer');
    return store.load(id);
  };
  const { session } = await open([{ text: 'of the second' }], {}, { load });
  return { session, fail: (is) => (isFailing = is) };
}
