import { act, cleanup, render, screen } from '@testing-library/react';
import { memorySessions } from '@vitrine/persist';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentProvider } from '../agent-provider.tsx';
import { AgentSessionProvider } from '../agent-session-provider.tsx';
import { agentOf, pause } from '../fixtures/chat.tsx';
import { useAgentSession } from '../hooks/use-agent-state.ts';
import { ConversationView } from './conversation-view.tsx';
import { stubLayout } from './no-layout.fixture.ts';

beforeEach(stubLayout);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const agent = agentOf([{ text: 'Done.' }]);

let send: (text: string) => Promise<unknown>;
function Sender(): null {
  send = useAgentSession().sendMessage;
  return null;
}

/** Renders a conversation and returns a function that switches it to another session in place. */
function draw(): (id: string) => Promise<void> {
  const sessions = memorySessions();
  const page = (id: string): ReactNode => (
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider agent={agent} sessionId={id}>
        <Sender />
        <ConversationView />
      </AgentSessionProvider>
    </AgentProvider>
  );
  const { rerender } = render(page('none'));
  return (id) =>
    act(async () => {
      rerender(page(id));
      await pause(50);
    });
}

const readOut = (): string | undefined => document.querySelector('.vitrine-unseen')?.textContent;

describe('a conversation that switches sessions', () => {
  it('the stored answers of another session are not announced', async () => {
    const open = draw();
    await open('one');
    await act(() => send('Hi'));
    await open('two');
    await act(() => send('Hi'));
    expect(readOut()).toBe('Answer: Done.');
    await open('one');
    await screen.findByText('Done.');
    expect(readOut()).toBe('');
  });
});
