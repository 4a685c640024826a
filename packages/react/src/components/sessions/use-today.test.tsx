import { act, cleanup, render, screen } from '@testing-library/react';
import { memorySessions } from '@vitrine/persist';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { AgentProvider } from '../../agent-provider.tsx';
import { AgentSessionProvider } from '../../agent-session-provider.tsx';
import { agentOf } from '../../fixtures/chat.tsx';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { SessionList } from './session-list.tsx';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

let send: (text: string) => Promise<unknown>;
function Sender(): null {
  send = useAgentSession().sendMessage;
  return null;
}

it('a list that stays open past midnight moves its sessions from Today to Yesterday', async () => {
  vi.useFakeTimers({ now: new Date(2026, 2, 30, 23, 59, 30), shouldAdvanceTime: true });
  render(
    <AgentProvider sessions={memorySessions()} queryClient={new QueryClient()}>
      <SessionList currentId="late" onOpen={() => undefined} />
      <AgentSessionProvider agent={agentOf([{ text: 'Yes' }])} sessionId="late">
        <Sender />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  await act(() => send('Hi'));
  await screen.findByRole('heading', { name: 'Today' });
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(screen.getByRole('heading').textContent).toBe('Yesterday');
});
