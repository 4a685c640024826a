import { act, cleanup, render } from '@testing-library/react';
import { AgentProvider, defineAgent, memorySessions, useAgent } from '@vitrine/react';
import { scriptedInference } from '@vitrine/testing';
import { type ReactNode, useState } from 'react';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';

// The typical mistakes in components. mistakes.test.ts has all others.

let said: MockInstance;
beforeEach(() => void (said = vi.spyOn(console, 'error').mockImplementation(() => undefined)));
afterEach(() => {
  cleanup();
  said.mockRestore();
});

const agentOf = (name: string): ReturnType<typeof defineAgent> =>
  defineAgent({ name, inference: scriptedInference([{ text: 'x' }]) });

function TwoAgents(): ReactNode {
  const [one] = useState(() => agentOf('one'));
  const [two] = useState(() => agentOf('two'));
  useAgent(one, { sessionId: 'same' });
  useAgent(two, { sessionId: 'same' });
  return null;
}

function NewStores(): ReactNode {
  return (
    <AgentProvider sessions={memorySessions()}>
      <p>Hello</p>
    </AgentProvider>
  );
}

function UnreadError(): ReactNode {
  const [agent] = useState(() =>
    defineAgent({
      inference: scriptedInference([
        {
          error: {
            code: 'proxy-unreachable',
            message: 'There is no Vitrine proxy at POST /api.',
            retryable: false,
          },
        },
      ]),
    }),
  );
  const { sendMessage } = useAgent(agent);
  return <button onClick={() => void sendMessage('Hi')}>Send</button>;
}

it.each<readonly [string, () => ReactNode, RegExp, RegExp, RegExp]>([
  [
    'two agents for one session',
    TwoAgents,
    /the agents "one" and "two" are used/,
    /for the session "same"/,
    /Define an agent once, outside of components, or give each its own sessionId/,
  ],
  [
    'a store that is made while rendering',
    NewStores,
    /a new session store in each render/,
    /a component/,
    /Create the store once, outside of components/,
  ],
  [
    'an error that nobody shows',
    UnreadError,
    /a turn failed and no component shows it/,
    /There is no Vitrine proxy at POST \/api/,
    /Show `error` of `useAgent` or render <Notices \/>, or give `onError`/,
  ],
])('%s is named once, with its place and the remedy', async (_, Page, what, where, remedy) => {
  const { container, rerender } = render(<Page />);
  for (let times = 0; times < 4; times++) rerender(<Page />);
  await act(async () => container.querySelector('button')?.click());
  await act(() => new Promise((resolve) => setTimeout(resolve, 100)));
  await vi.dynamicImportSettled();
  const lines = said.mock.calls.map(String);
  expect(lines).toHaveLength(1);
  for (const part of [what, where, remedy]) expect(lines[0]).toMatch(part);
});
