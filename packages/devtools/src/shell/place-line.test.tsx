import { render, waitFor, within } from '@testing-library/react';
import {
  AgentError,
  type AgentSession,
  createAgentSession,
  defineAgent,
  type SessionStore,
} from '@vitrine/core';
import { memorySessions, type TabLink } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, expect, it } from 'vitest';
import { closePage } from '../devtools-page.fixture.tsx';
import { AgentDevtools } from '../index.ts';

const opened: AgentSession[] = [];
afterEach(async () => {
  await closePage();
  await Promise.all(opened.splice(0).map((session) => session.dispose()));
});

const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'Done' }]) });

/** The panel of a session over a store, once the session has been used. */
async function panelAfterMessage(sessions: SessionStore): Promise<ReturnType<typeof within>> {
  render(<AgentDevtools initialIsOpen />);
  const session = createAgentSession({ agent, sessions, sessionId: 's' });
  opened.push(session);
  await session.ready;
  void session.sendMessage('Hello');
  return within(await shownRoot());
}

async function shownRoot(): Promise<HTMLElement> {
  return waitFor(() => {
    const found = document
      .querySelector('[data-vitrine-devtools]')
      ?.shadowRoot?.querySelector<HTMLElement>('.root');
    if (!found?.querySelector('.session')) throw new Error('The panel is not there yet.');
    return found;
  });
}

/** A link between sessions of this page, of which the first leads. */
function tabsOfOnePage(): TabLink {
  const listeners = new Set<(message: unknown) => void>();
  let isHeld = false;
  return {
    lock(_name, onTurn) {
      const isFirst = !isHeld;
      isHeld = true;
      queueMicrotask(() => onTurn(isFirst));
      return () => undefined;
    },
    open(_name, onMessage) {
      listeners.add(onMessage);
      return {
        post: (message) =>
          listeners.forEach((listener) =>
            listener === onMessage ? undefined : queueMicrotask(() => listener(structuredClone(message))),
          ),
        close: () => void listeners.delete(onMessage),
      };
    },
  };
}

/** A store with a session that runs on a server which is not reached any more. */
async function unreachable(): Promise<SessionStore> {
  const memory = memorySessions();
  const first = createAgentSession({ agent, sessions: memory, sessionId: 's' });
  await first.sendMessage('First');
  await first.dispose();
  return {
    ...memory,
    tabs: {
      where: 'server',
      lock(_name, onTurn) {
        queueMicrotask(() => onTurn(false));
        return () => undefined;
      },
      open(_name, _onMessage, session) {
        setTimeout(() => session?.onConnection?.('reconnecting'), 0);
        return { post: () => undefined, close: () => undefined };
      },
    },
  };
}

it('the panel says that the connection of a session is lost, and what waits', async () => {
  const panel = await panelAfterMessage(await unreachable());
  await panel.findByText(
    'The connection to the server is lost and is made again. 1 command waiting for connection.',
  );
});

it('the panel says which version of an agent answers in another tab, where this page has another', async () => {
  const sessions = { ...memorySessions(), tabs: tabsOfOnePage() };
  const other = createAgentSession({ agent: { ...agent, version: '2' }, sessions, sessionId: 's' });
  opened.push(other);
  await other.sendMessage('First');
  render(<AgentDevtools initialIsOpen />);
  const session = createAgentSession({ agent: { ...agent, version: '1' }, sessions, sessionId: 's' });
  opened.push(session);
  await session.ready;
  const panel = within(await shownRoot());
  await panel.findByText(/Version 2 of the agent answers; this page has version 1\./);
});

it('the panel says why a session is not saved', async () => {
  const full = async (): Promise<never> => {
    throw new AgentError('session-storage', 'The disk is full.');
  };
  const panel = await panelAfterMessage({ ...memorySessions(), save: full, append: full });
  await panel.findByText('Not saved: The disk is full.');
});

it('the panel says nothing of a session that this page runs and saves', async () => {
  const panel = await panelAfterMessage(memorySessions());
  await panel.findByText(/^It finished after 1 step/);
  expect(panel.queryByText(/runs it|Saved|Not saved/)).toBeNull();
});
