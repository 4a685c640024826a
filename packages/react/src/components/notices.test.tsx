import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { AgentState, createAgentSession, Message, type SessionStore, Usage } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentProvider } from '../agent-provider.tsx';
import { AgentSessionProvider } from '../agent-session-provider.tsx';
import { agentOf, pause } from '../fixtures/chat.tsx';
import { Composer } from './composer/composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import { stubLayout } from './no-layout.fixture.ts';
import { Notices } from './notices.tsx';

beforeEach(stubLayout);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** The text of the notices when a session fails to load for this reason. */
async function noticesOf(reason: Error): Promise<string> {
  const sessions = { ...memorySessions(), load: () => Promise.reject(reason) };
  const { container } = render(
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider
        agent={agentOf([])}
        sessionId={reason.message.replaceAll(/\W/g, '-').slice(0, 60)}
      >
        <Notices />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  await screen.findByRole('alert');
  await act(() => pause(50));
  return container.textContent;
}

it.each([
  ['Chromium', 'Failed to fetch dynamically imported module: https://chat.example/assets/agents-Bx1.js'],
  ['Firefox', 'error loading dynamically imported module: https://chat.example/assets/agents-Bx1.js'],
  ['Safari', 'Importing a module script failed.'],
  ['webpack', 'Loading chunk 417 failed.\n(error: https://chat.example/417.js)'],
])('a failed import is shown without the URL of its module, in %s', async (_, message) => {
  const said = await noticesOf(new TypeError(message));
  expect(said).toMatch(/^A part of this page could not be loaded\. See whether you are online, and reload/);
  expect(said).not.toMatch(/https|chunk|module/);
});

it('the warning of a store is shown after the page has read it, and not by a server', async () => {
  const sessions = { ...memorySessions(), warning: 'This browser stores nothing.' };
  const page = (
    <AgentSessionProvider agent={agentOf([])} sessionId="warned" sessions={sessions}>
      <Notices />
    </AgentSessionProvider>
  );
  expect(renderToString(page)).not.toContain('vitrine-notice"');
  render(page);
  await screen.findByText(/keeps nothing|stores nothing/);
});

it('the message of an error that a store throws is shown, and no provider is blamed for it', async () => {
  const said = await noticesOf(new Error('No such disk.'));
  expect(said).toMatch(/^Something went wrong\. Try again\.No such disk\./);
});

it('a stored message that was not answered before the page closed offers Answer now, and sending offers no such thing', async () => {
  const sessions = memorySessions();
  const before = createAgentSession({ agent: agentOf([]), sessions, sessionId: 'closed' });
  await before.ready;
  void before.sendMessage('Hi');
  await before.dispose();
  const answer = vi.fn(() => ({ text: 'abcdefgh', chunks: 8, delayMs: 20 }));
  const { container } = render(
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider agent={agentOf([answer])} sessionId="closed">
        <Notices />
        <Composer />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  const go = await screen.findByRole('button', { name: 'Answer now' });
  expect(answer).not.toHaveBeenCalled();
  fireEvent.click(go);
  await waitFor(() => expect(answer).toHaveBeenCalledTimes(1));
  await waitFor(() => expect(go.isConnected).toBe(false));
  let isAsked = false;
  const watch = new MutationObserver(
    () => (isAsked ||= screen.queryByText(/has not been answered/) !== null),
  );
  watch.observe(container, { childList: true, subtree: true });
  const field = screen.getByLabelText('Message');
  for (const text of ['One', 'Two']) {
    fireEvent.change(field, { target: { value: text } });
    fireEvent.keyDown(field, { key: 'Enter' });
  }
  await waitFor(() => expect(answer).toHaveBeenCalledTimes(3));
  watch.disconnect();
  expect(isAsked).toBe(false);
});

function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('a session that another device writes to during an answer', () => {
  let [finish, called] = [createGate(), createGate()];
  beforeEach(() => void ([finish, called] = [createGate(), createGate()]));

  /** Waits with its answer until `finish` is opened. */
  const held = agentOf([], {
    inference: {
      async *stream() {
        yield { type: 'start', id: null, model: null };
        called.open();
        await finish.opened;
        yield { type: 'text-delta', delta: 'an answer made here' };
        yield { type: 'finish', finishReason: 'stop', usage: Usage.none() };
      },
    },
  });

  /** Two devices that share a store but get no change notifications of each other. */
  function twoDevices(): readonly [SessionStore, SessionStore] {
    const { subscribe: _subscribe, ...store } = memorySessions();
    return [store, { ...store }];
  }

  function Page({
    sessions,
    onConflict,
    onFork,
  }: {
    readonly sessions: SessionStore;
    readonly onConflict?: 'ask';
    readonly onFork?: (id: string) => void;
  }): ReactNode {
    return (
      <AgentProvider sessions={sessions}>
        <AgentSessionProvider agent={held} sessionId="one" onConflict={onConflict}>
          <ConversationView />
          <Notices {...(onFork && { onFork })} />
          <Composer />
        </AgentSessionProvider>
      </AgentProvider>
    );
  }

  async function send(text: string): Promise<void> {
    fireEvent.change(screen.getByLabelText('Message'), { target: { value: text } });
    fireEvent.keyDown(screen.getByLabelText('Message'), { key: 'Enter' });
    await act(() => called.opened);
  }

  async function writeElsewhere(sessions: SessionStore): Promise<void> {
    const there = createAgentSession({
      agent: agentOf([{ text: 'said there' }]),
      sessions,
      sessionId: 'one',
    });
    await there.sendMessage('Hello from there');
    await there.dispose();
    finish.open();
  }

  async function textsOf(sessionId: string, sessions: SessionStore): Promise<readonly string[]> {
    const session = createAgentSession({ agent: held, sessions, sessionId });
    await session.ready;
    const texts = AgentState.messages(session.store.getState().state).map(Message.text);
    await session.dispose();
    return texts;
  }

  it('the notice of a forked answer opens the copy', async () => {
    const [here, there] = twoDevices();
    const onFork = vi.fn();
    render(<Page sessions={here} onFork={onFork} />);
    await waitFor(() => expect(screen.queryByText(/Loading/)).toBeNull());
    await send('Hi');
    await act(() => writeElsewhere(there));
    fireEvent.click(await screen.findByRole('button', { name: 'Open the copy' }));
    const copy = onFork.mock.calls[0]?.[0] as string;
    expect((await textsOf(copy, here)).join(' ')).toContain('an answer');
    expect(await screen.findAllByText('said there')).not.toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText(/kept in a copy/)).toBeNull();
  });

  it.each([
    ['Take theirs and continue', 'rebase'],
    ['Keep mine as a copy', 'fork'],
  ])(
    'a notice offers the ways out of a conflict with onConflict ask, and takes the chosen one: %s',
    async (button) => {
      const [here, there] = twoDevices();
      render(<Page sessions={here} onConflict="ask" />);
      await send('Hi');
      await act(() => writeElsewhere(there));
      const go = await screen.findByRole('button', { name: button });
      expect(screen.getAllByRole('status').map((one) => one.textContent)).toContainEqual(
        expect.stringContaining('was changed on another device'),
      );
      expect(screen.queryByRole('alert')).toBeNull();
      fireEvent.click(go);
      expect(await screen.findAllByText('said there')).not.toEqual([]);
      await waitFor(() => expect(go.isConnected).toBe(false));
      const { sessions } = await here.list();
      const texts = await Promise.all(sessions.map(({ id }) => textsOf(id, here)));
      expect(texts.flat()).toEqual(expect.arrayContaining(['Hello from there', 'said there', 'Hi']));
      expect(texts.flat().join(' ')).toContain('an answer');
    },
  );
});
