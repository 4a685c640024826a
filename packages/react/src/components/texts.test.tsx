import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { scriptedInference } from '@vitrine/testing';
import type { ReactNode } from 'react';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { agentOf } from '../fixtures/chat.tsx';
import { inOtherLetters, wordsIn } from '../../../../tests/other-letters.ts';
import {
  type AgentDefinition,
  AgentError,
  AgentProvider,
  AgentSessionProvider,
  type ChatMessage,
  createAgentSession,
  defineAgent,
  defineTool,
  memorySessions,
  type SessionStore,
} from '../index.ts';
import {
  Activity,
  Approvals,
  CodeBlock,
  Composer,
  ConversationView,
  Notices,
  Reasoning,
  RememberedDecisions,
  SessionList,
  type SomeTexts,
  texts,
  TextsProvider,
  VisibleText,
} from './index.ts';
import { Answer, RawMessage } from './messages/message-view.tsx';
import { stubLayout } from './no-layout.fixture.ts';

// All texts are in fullwidth letters, and all data in Greek ones: a word in ASCII letters has no text.
const fullwidth = inOtherLetters(texts);
const other: SomeTexts = {
  ...fullwidth,
  hiddenCharacters: { ...fullwidth.hiddenCharacters, name: () => 'ω' },
  errors: inOtherLetters({
    'inference-failed': 'The model failed.',
    'content-filtered': 'The model said nothing.',
    'session-storage': 'The store failed.',
  }),
};

beforeEach(stubLayout);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const tool = defineTool({
  name: '_1',
  description: '',
  input: z.object({ κ: z.string(), λ: z.optional(z.number()) }),
  needsApproval: ({ κ }) => κ.startsWith('?'),
  async execute({ κ }, { report }) {
    report({ value: 0.5, label: 'μ' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (κ === 'χ') throw new Error('χάλασε');
    return 'ναι';
  },
});

const call = (κ: string) => ({ name: '_1', input: { κ } });

function Page({
  agent,
  sessions = memorySessions(),
  sessionId = '1',
  children,
}: {
  readonly agent: AgentDefinition;
  readonly sessions?: SessionStore;
  readonly sessionId?: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <TextsProvider texts={other}>
      <AgentProvider sessions={sessions} queryClient={new QueryClient()}>
        <SessionList currentId={sessionId} onOpen={() => undefined} />
        <AgentSessionProvider agent={agent} sessionId={sessionId}>
          <ConversationView onFork={() => undefined}>
            <Activity />
            <Approvals />
            <RememberedDecisions />
          </ConversationView>
          <Notices onFork={() => undefined} />
          <Composer />
          {children}
        </AgentSessionProvider>
      </AgentProvider>
    </TextsProvider>
  );
}

/** Presses all buttons whose text or accessible name is one of these texts. */
async function press(...names: readonly string[]): Promise<void> {
  const wanted = inOtherLetters(names);
  const isWanted = (one: HTMLElement): boolean =>
    Object.values(wanted).includes(one.getAttribute('aria-label') ?? one.textContent);
  await waitFor(() => expect(screen.getAllByRole('button').some(isWanted)).toBe(true));
  for (const one of screen.getAllByRole('button').filter(isWanted)) fireEvent.click(one);
}

async function send(text: string): Promise<void> {
  const field = screen.getByPlaceholderText(inOtherLetters({ a: texts.composer.placeholder }).a);
  fireEvent.change(field, { target: { value: text } });
  await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
}

/** Names that are the same in all languages: code points, abbreviations of Unicode, addresses, file endings. */
const names = /U\+[0-9A-F]+|⟨[A-Z]{2,5}⟩|https?:\S+/g;

function expectOnlyTexts(): void {
  // Messages of errors are for developers. `notices.detail` replaces them.
  const words = wordsIn(document.body, '.vitrine-detail').map((text) => text.replaceAll(names, ''));
  expect(words.filter((text) => /[A-Za-z]/.test(text))).toEqual([]);
}

describe('a chat whose texts are all replaced shows no English word', () => {
  it('an answer with tool calls, its actions, an edit and another version show no English word', async () => {
    const inference = scriptedInference([
      { reasoning: 'ξ', toolCalls: [call('α'), call('χ')] },
      { text: 'Ναι\u202e' },
      { text: 'Πάλι' },
    ]);
    render(<Page agent={defineAgent({ name: 'α', inference, tools: [tool] })} />);
    await send('Έλα');
    await screen.findByText('Ναι');
    for (const summary of document.querySelectorAll('summary')) fireEvent.click(summary);
    expectOnlyTexts();
    await press(texts.messages.copyAnswer, texts.messages.fork);
    await press(texts.messages.answerAgain);
    await screen.findByText('Πάλι');
    expectOnlyTexts();
    await press(texts.messages.edit);
    expectOnlyTexts();
  });

  it('the questions about calls and the remembered decisions show no English word', async () => {
    const inference = scriptedInference([
      { toolCalls: [call('?1'), call('?2')] },
      { toolCalls: [call('?3')] },
      { text: 'Ναι' },
    ]);
    render(<Page agent={defineAgent({ name: 'α', inference, tools: [tool] })} />);
    await send('Έλα');
    await press(texts.approvals.edit);
    // The schema of the tool's input may have to be loaded.
    await waitFor(() => expect(document.querySelector('.vitrine-arguments textarea')).not.toBeNull());
    fireEvent.change(document.querySelector('.vitrine-arguments textarea') as Element, {
      target: { value: 'ψ\u202e' },
    });
    fireEvent.change(document.querySelector('[inputmode=decimal]') as Element, { target: { value: 'ψ' } });
    fireEvent.submit(document.querySelector('.vitrine-approval form') as Element);
    await screen.findByText(inOtherLetters({ a: texts.approvals.notANumber }).a('λ'));
    expectOnlyTexts();
    await press(texts.common.cancel);
    expectOnlyTexts();
    await press(texts.approvals.alwaysForSession);
    await screen.findByText('Ναι');
    expect(document.querySelector('.vitrine-decisions')).not.toBeNull();
    expectOnlyTexts();
  });

  it.each([
    ['an error of the model', { error: new AgentError('inference-failed', 'δεν') }, '.vitrine-error'],
    [
      'an answer that the provider held back',
      { text: '', finishReason: 'content-filter', explanation: 'δεν' },
      '.vitrine-error',
    ],
    ['an empty answer', { text: '' }, '.vitrine-activity[role=status]:not(:empty)'],
  ] as const)('%s shows no English word', async (_, step, selector) => {
    render(<Page agent={agentOf([step], { name: 'α', retry: { maxAttempts: 1 } })} />);
    await send('Έλα');
    await waitFor(() => expect(document.querySelector(selector)).not.toBeNull());
    expectOnlyTexts();
  });

  it('a limit, a running answer and a waiting message show no English word', async () => {
    // Long enough that a busy machine sends the second message while it runs.
    const step = { text: 'αβγδ', chunks: 4, delayMs: 700, toolCalls: [call('α')] };
    render(<Page agent={agentOf([step], { name: 'α', tools: [tool], budget: { maxSteps: 1 } })} />);
    await send('Έλα');
    await screen.findByLabelText(inOtherLetters({ a: texts.common.stop }).a);
    await send('Κι άλλο');
    await waitFor(() => expect(document.querySelector('.vitrine-queue')).not.toBeNull());
    expectOnlyTexts();
    await screen.findByText(inOtherLetters({ a: texts.activity.goOn }).a);
    expectOnlyTexts();
  });

  it('the list of sessions, a deletion, a rename and a failed import show no English word', async () => {
    const sessions = memorySessions();
    const before = createAgentSession({ agent: agentOf([{ text: 'α' }]), sessions, sessionId: '2' });
    await before.sendMessage('Έλα');
    await before.dispose();
    render(<Page agent={agentOf([])} sessions={sessions} />);
    await screen.findByText('Έλα');
    await press(texts.sessions.rename('Έλα'));
    expectOnlyTexts();
    fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
    await press(texts.sessions.delete('Έλα'));
    await waitFor(() => expect(document.querySelector('.vitrine-toast')).not.toBeNull());
    expectOnlyTexts();
    const file = new File(['{}'], 'α.json', { type: 'application/json' });
    fireEvent.change(document.querySelector('input[accept]') as Element, { target: { files: [file] } });
    await waitFor(() => expect(document.querySelector('.vitrine-problem')).not.toBeNull());
    expectOnlyTexts();
  });

  it('a store that fails or warns, an interrupted run and a deleted session show no English word', async () => {
    const sessions = { ...memorySessions(), warning: 'προσοχή' };
    const write = (): Promise<never> => Promise.reject(new Error('γεμάτο'));
    render(
      <Page agent={agentOf([{ text: 'Ναι' }])} sessions={{ ...sessions, append: write, save: write }} />,
    );
    await send('Έλα');
    await screen.findByText('προσοχή');
    await waitFor(() => expect(document.querySelector('.vitrine-warning')).not.toBeNull());
    expectOnlyTexts();
  });

  it('the parts for renderers show no English word', () => {
    const parts = [
      { type: 'text', text: 'α' },
      { type: 'hologram' },
      { type: 'source', url: 'https://1.2', title: 'β' },
      { type: 'file', mediaType: '', url: 'https://1.2' },
    ];
    const metadata = { incomplete: true, truncated: true };
    render(
      <TextsProvider texts={other}>
        <AgentSessionProvider agent={agentOf([])}>
          <CodeBlock code="1" info="" />
          <CodeBlock code="1" info="ρ" />
          <Reasoning text="α" />
          <RawMessage text="α" />
          <VisibleText text={'α\u202eβ\u200b\u200c\ufeff\u{e0031}γ\u{e0031}δ\u{e0101}'} />
          <Answer message={{ id: '1', role: 'assistant', metadata, parts } as unknown as ChatMessage} />
        </AgentSessionProvider>
      </TextsProvider>,
    );
    for (const summary of document.querySelectorAll('summary')) fireEvent.click(summary);
    expectOnlyTexts();
  });
});

it('a provider within another one replaces single texts of its groups', () => {
  render(
    <TextsProvider texts={{ common: { send: 'Senden' } }}>
      <TextsProvider texts={{ common: { stop: 'Anhalten' }, composer: { label: 'Nachricht' } }}>
        <AgentSessionProvider agent={agentOf([])}>
          <Composer />
        </AgentSessionProvider>
      </TextsProvider>
    </TextsProvider>,
  );
  expect(screen.getByRole('button', { name: 'Senden' })).toBeTruthy();
  expect(screen.getByLabelText('Nachricht').getAttribute('placeholder')).toBe('Ask something');
});
