import {
  AgentError,
  type AgentSession,
  AgentState,
  Conversation,
  createAgentSession,
  defineTool,
} from '@vitrine/core';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { agentOf, expectSilence, pause } from '../fixtures/chat.tsx';
import { AgentSessionProvider } from '../index.ts';
import { Approvals, RememberedDecisions } from './approvals/approvals.tsx';
import { ConversationView } from './conversation-view.tsx';
import { stubLayout } from './no-layout.fixture.ts';
import { Suggestions } from './suggestions.tsx';

expectSilence();
beforeEach(stubLayout);
afterEach(cleanup);

type Given = { readonly name: string };
const roundTripMs = 40;

/** A session whose commands take a round trip to arrive, as those of a server do. It notes each that is given. */
function slowed(session: AgentSession, own: Partial<AgentSession> = {}) {
  const given: Given[] = [];
  const names = ['sendMessage', 'approve', 'reject', 'respondAll', 'edit', 'update', 'fork'] as const;
  const later = names.map((name) => [
    name,
    async (...values: readonly never[]) => {
      given.push({ name });
      await pause(roundTripMs);
      return ((own[name] ?? session[name]) as (...all: readonly never[]) => unknown)(...values);
    },
  ]);
  onTestFinished(async () => void (await session.dispose()));
  return { given, session: { ...session, ...Object.fromEntries(later) } as AgentSession };
}

function show(session: AgentSession, children: ReactNode): void {
  render(<AgentSessionProvider session={session}>{children}</AgentSessionProvider>);
}

const click = (name: string | RegExp): boolean => fireEvent.click(screen.getByRole('button', { name }));

/** A session in which a payment waits for approval. */
async function payingSession() {
  const deeds: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    input: z.object({}),
    needsApproval: true,
    execute: () => void deeds.push('paid'),
  });
  const own = createAgentSession({
    agent: agentOf([{ toolCalls: [{ name: 'pay', input: {} }] }, { text: 'Done.' }], { tools: [pay] }),
  });
  await own.sendMessage('Pay');
  return { own, deeds };
}

it('a call that was approved is not rejected by a press before the answer of the server', async () => {
  const { own, deeds } = await payingSession();
  const { session, given } = slowed(own);
  show(session, <Approvals />);
  click('Approve');
  expect(document.querySelector('.vitrine-approval')?.getAttribute('aria-busy')).toBe('true');
  click('Reject');
  await waitFor(() => expect(document.querySelector('.vitrine-approval')).toBeNull());
  expect([given, deeds]).toEqual([[{ name: 'approve' }], ['paid']]);
});

it('an edited message that is refused keeps its text, with the reason', async () => {
  const own = createAgentSession({ agent: agentOf([{ text: 'First.' }, { text: 'Second.' }]) });
  await own.sendMessage('One');
  let isRefusing = true;
  const { session } = slowed(own, {
    edit: (id, message) => own.edit(isRefusing ? 'gone' : id, message),
  });
  show(session, <ConversationView />);
  click('Edit message');
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'A long question' } });
  click('Send');
  expect(await screen.findByRole('alert')).toBeTruthy();
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('A long question');
  isRefusing = false;
  click('Send');
  await screen.findByText('A long question');
  await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull());
  // The version that was edited is shown, not its field.
  await screen.findByText('Second.');
  click('Previous version');
  await screen.findByText('One');
  expect(screen.queryByRole('textbox')).toBeNull();
});

it('a suggestion is sent once, however often it is pressed', async () => {
  const own = createAgentSession({ agent: agentOf([{ text: 'First.' }]) });
  const { session, given } = slowed(own);
  show(session, <Suggestions start={['Go']} />);
  const button = screen.getByRole('button', { name: 'Go' });
  fireEvent.click(button);
  fireEvent.click(button);
  expect(screen.queryByRole('button', { name: 'Go' })).toBeNull();
  await waitFor(() => expect(Conversation.messages(own.store.getState().state)).toHaveLength(2));
  expect(given).toEqual([{ name: 'sendMessage' }]);
});

it('a remembered decision that a server does not take back is told', async () => {
  const { own } = await payingSession();
  const [call] = AgentState.pendingApprovals(own.store.getState().state);
  await own.approve(call?.id ?? '', { remember: 'session' });
  const { session } = slowed(own, {
    update: () => Promise.reject(new AgentError('state-invalid', 'It takes no update.')),
  });
  show(session, <RememberedDecisions />);
  click('Ask about pay again');
  expect(await screen.findByRole('alert')).toBeTruthy();
  expect(screen.getByRole('list')).toBeTruthy();
});
