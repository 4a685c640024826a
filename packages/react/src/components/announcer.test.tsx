import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { type ScriptedStep, scriptedInference } from '@vitrine/testing';
import type { ComponentType, ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import {
  AgentProvider,
  AgentSessionProvider,
  defineAgent,
  defineTool,
  memorySessions,
  useAgentSession,
} from '../index.ts';
import { Activity } from './activity.tsx';
import { Approvals } from './approvals/approvals.tsx';
import { Composer } from './composer/composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import { Markdown } from './markdown/index.ts';
import { spokenText } from './markdown/spoken-text.ts';
import { stubLayout } from './no-layout.fixture.ts';
import { Notices } from './notices.tsx';

beforeEach(stubLayout);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  input: z.object({ to: z.string() }),
  needsApproval: true,
  execute: () => 'Sent',
});

let send: (text: string) => Promise<unknown>;
function Chat({ Text }: { readonly Text?: ComponentType<{ readonly text: string }> }): ReactNode {
  send = useAgentSession().sendMessage;
  return (
    <>
      <ConversationView {...(Text && { Text })}>
        <Activity />
        <Approvals />
      </ConversationView>
      <Notices />
      <Composer />
    </>
  );
}

/** Opens a chat and returns the list of texts that a screen reader announces from then on. */
function open(
  steps: readonly ScriptedStep[],
  sessions = memorySessions(),
  publish: 'frame' | number = 'frame',
  Text?: ComponentType<{ readonly text: string }>,
): readonly string[] {
  const inference = scriptedInference(steps);
  const agent = defineAgent({ name: 'a', inference, tools: [sendMail], retry: { maxAttempts: 1 } });
  render(
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider agent={agent} publish={publish} sessionId="0198a2f0-0000-7000-8000-000000000004">
        <Chat {...(Text && { Text })} />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  const said: string[] = [];
  const listen = (): void => {
    for (const region of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
      const text = region.textContent.trim();
      if (text !== '' && said.at(-1) !== text && !said.includes(text)) said.push(text);
    }
  };
  new MutationObserver(listen).observe(document, { childList: true, subtree: true, characterData: true });
  return said;
}

const words = Array.from({ length: 60 }, (_, at) => `word${at} `);

describe('the announcements for screen readers', () => {
  it('an answer is announced once when it is complete, and not while it streams', async () => {
    const said = open([{ chunks: words, delayMs: 2 }]);
    await act(() => send('Hi'));
    await waitFor(() => expect(said).toEqual([`Answer: ${words.join('').trim()}`]));
  });

  it('each answer is announced, a long one by its beginning', async () => {
    const said = open([
      { chunks: ['One', '.'], delayMs: 40 },
      { chunks: ['a'.repeat(2500), 'a'.repeat(2500)], delayMs: 40 },
    ]);
    await act(() => send('Hi'));
    await act(() => send('And?'));
    await waitFor(() =>
      expect(said).toEqual(['Answer: One.', `Answer: ${'a'.repeat(600)}… The answer goes on.`]),
    );
  });

  it('an answer in Markdown is announced as text', async () => {
    const said = open(
      [{ text: '# Hello\n\nA **table** in [Oslo](https://example.org).' }],
      undefined,
      'frame',
      Markdown,
    );
    await act(() => send('Hi'));
    await waitFor(() => expect(said).toEqual(['Answer: Hello. A table in Oslo.']));
  });

  it.each([
    ['**bold**, *thin* and ~~gone~~', 'bold, thin and gone'],
    ['2 * 3 * 4 = 24, snake_case_name', '2 * 3 * 4 = 24, snake_case_name'],
    [
      '## A plan\n\nFirst:\n\n1. Ask\n2. Wait!\n   - *Long*\n\n> Quoted',
      'A plan. First: Ask. Wait! Long. Quoted',
    ],
    [
      'See [the docs](https://a.example "T"), <https://b.example>, ![a cat](c.png)',
      'See the docs, https://b.example, a cat',
    ],
    ['Call `run()`:\n\n```ts\nconst a = 1;\nrun(a)\n```\n\nDone', 'Call run(): const a = 1; run(a). Done'],
    ['| Day | Seats |\n| --- | ---: |\n| **Fri** | 4 |\n| Sat |  |', 'Day, Seats. Fri, 4. Sat'],
    ['- [x] Milk\n- [ ] Tea', 'Milk. Tea'],
    ['A<br>b &amp; c', 'A<br>b & c'],
    ['>'.repeat(500), '>'.repeat(500)],
    ['', ''],
  ])('the Markdown %j is spoken as %j', (markdown, spoken) => {
    expect(spokenText(markdown)).toBe(spoken);
  });

  it('the answer of a run that ended before the first render is announced', async () => {
    const said = open([{ text: 'One.' }], memorySessions(), 5000);
    await waitFor(() => expect(screen.queryByText('One.')).toBeNull());
    await act(() => send('Hi'));
    await screen.findByText('One.');
    expect(said).toEqual(['Answer: One.']);
  });

  it('a stored answer is not announced when its session is opened', async () => {
    const sessions = memorySessions();
    open([{ text: 'One.' }], sessions);
    await act(() => send('Hi'));
    await screen.findByText('One.');
    await waitFor(async () => expect((await sessions.list()).sessions).toHaveLength(1));
    cleanup();
    const said = open([], sessions);
    await screen.findByText('One.');
    expect(said).toEqual([]);
  });

  it('a stopped answer is announced by a live region that was already there', async () => {
    const said = open([{ chunks: words, delayMs: 5 }]);
    const region = screen.getAllByRole('status').find(({ className }) => className.includes('activity'));
    void send('Hi');
    await screen.findByText(/word0/);
    fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
    await waitFor(() => expect(said).toContain('Stopped by you'));
    expect(region?.textContent).toBe('Stopped by you');
    expect(said.filter((text) => text.includes('word'))).toHaveLength(1);
  });

  it('a call that waits for approval is announced', async () => {
    const said = open([{ toolCalls: [{ name: 'send_mail', input: { to: 'ann' } }] }]);
    void send('Hi');
    await waitFor(() => expect(said).toEqual(['send_mail waits for your approval.']));
  });

  it('an error is announced', async () => {
    const said = open([{ error: { code: 'upstream-unavailable', message: 'No answer.' } } as ScriptedStep]);
    await act(() => send('Hi'));
    await waitFor(() => expect(said.join(' ')).toMatch(/No answer\./));
  });
});
