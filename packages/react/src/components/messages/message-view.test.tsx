import { act, cleanup, render, screen } from '@testing-library/react';
import {
  AgentProvider,
  AgentSessionProvider,
  defineAgent,
  memorySessions,
  useAgentSession,
} from '../../index.ts';
import { scriptedInference } from '@vitrine/testing';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConversationView } from '../conversation-view.tsx';
import { stubLayout } from '../no-layout.fixture.ts';

// Simulates a text that the renderer cannot handle; known ones do render.
function Text({ text }: { readonly text: string }): ReactNode {
  if (text.includes('undrawable')) throw new RangeError('Maximum call stack size exceeded');
  return <p>{text}</p>;
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  stubLayout();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const inference = scriptedInference([{ text: 'An undrawable answer' }, { text: 'A plain answer' }]);
const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference });
const sessions = memorySessions();

let send: (text: string) => Promise<unknown>;
function Messages(): ReactNode {
  send = useAgentSession().sendMessage;
  return <ConversationView Text={Text} />;
}

function open(): void {
  render(
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider agent={agent} sessionId="0198a2f0-0000-7000-8000-000000000002">
        <Messages />
      </AgentSessionProvider>
    </AgentProvider>,
  );
}

it('an answer that cannot be rendered leaves the session usable, and is shown again after reopening', async () => {
  open();
  await act(() => send('One'));
  expect((await screen.findByText('An undrawable answer')).closest('pre')).not.toBeNull();
  expect(screen.getByRole('button', { name: 'Copy' })).toBeTruthy();
  await act(() => send('Two'));
  expect((await screen.findByText('A plain answer')).tagName).toBe('P');
  cleanup();
  open();
  expect((await screen.findByText('An undrawable answer')).closest('pre')).not.toBeNull();
  for (const text of ['One', 'Two', 'A plain answer']) expect(screen.getByText(text)).toBeTruthy();
});

it('an answer is copied as its Markdown source', async () => {
  const writeText = vi.fn<(text: string) => Promise<void>>(async () => undefined);
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  const text = '**One**\n\n```js\nlet a;\n```';
  const copied = defineAgent({ name: 'b', inference: scriptedInference([{ text }]) });
  render(
    <AgentSessionProvider agent={copied}>
      <Messages />
    </AgentSessionProvider>,
  );
  await act(() => send('Hi'));
  await act(async () => screen.getByRole('button', { name: 'Copy answer' }).click());
  expect(await screen.findByText('Copied.')).toBeTruthy();
  expect(writeText.mock.calls).toEqual([[text]]);
});
