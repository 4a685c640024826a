import { act, cleanup, render, screen } from '@testing-library/react';
import { memorySessions } from '@vitrine/core';
import { afterEach, expect, it } from 'vitest';
import { AgentProvider } from '../agent-provider.tsx';
import { AgentSession } from '../agent-session.tsx';
import { agentOf, pause } from '../fixtures/chat.tsx';
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
