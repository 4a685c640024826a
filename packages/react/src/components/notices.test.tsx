import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createAgentSession, memorySessions } from '@vitrine/core';
import { afterEach, expect, it, vi } from 'vitest';
import { AgentProvider } from '../agent-provider.tsx';
import { AgentSession } from '../agent-session.tsx';
import { agentOf, pause } from '../fixtures/chat.tsx';
import { Composer } from './composer/composer.tsx';
import { Notices } from './notices.tsx';

afterEach(cleanup);

/** What is said where a session cannot be read, for this reason. */
async function noticesOf(reason: Error): Promise<string> {
  const sessions = { ...memorySessions(), load: () => Promise.reject(reason) };
  const { container } = render(
    <AgentProvider sessions={sessions}>
      <AgentSession agent={agentOf([])} sessionId={reason.message.replaceAll(/\W/g, '-').slice(0, 60)}>
        <Notices />
      </AgentSession>
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
])(
  'a part of the page that did not come is told without the address of a file, in %s',
  async (_, message) => {
    const said = await noticesOf(new TypeError(message));
    expect(said).toMatch(/^A part of this page could not be loaded\. See whether you are online, and reload/);
    expect(said).not.toMatch(/https|chunk|module/);
  },
);

it('what a store has thrown is told as it is, and no provider is accused of it', async () => {
  const said = await noticesOf(new Error('No such disk.'));
  expect(said).toMatch(/^Something went wrong\. Try again\.No such disk\./);
});

it('a message that was stored and not begun before the page was closed can be answered, and none asks for that when it is sent', async () => {
  const sessions = memorySessions();
  const before = createAgentSession({ agent: agentOf([]), sessions, sessionId: 'closed' });
  await before.ready;
  void before.sendMessage('Hi');
  await before.dispose();
  const answer = vi.fn(() => ({ text: 'abcdefgh', chunks: 8, delayMs: 20 }));
  const { container } = render(
    <AgentProvider sessions={sessions}>
      <AgentSession agent={agentOf([answer])} sessionId="closed">
        <Notices />
        <Composer />
      </AgentSession>
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
