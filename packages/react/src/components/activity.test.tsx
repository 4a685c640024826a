import { act, cleanup, render, screen } from '@testing-library/react';
import {
  AgentProvider,
  AgentSession,
  defineAgent,
  memorySessions,
  type RetryPolicy,
  useAgentSession,
  useMessageIds,
} from '../index.ts';
import { type ScriptedStep, scriptedInference } from '@vitrine/core/testing';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { Activity } from './activity.tsx';
import { Message } from './messages/message.tsx';
import { Notices } from './notices.tsx';

afterEach(cleanup);

let send: (text: string) => Promise<unknown>;
function Conversation(): ReactNode {
  send = useAgentSession().sendMessage;
  return (
    <>
      {useMessageIds().map((id) => (
        <Message key={id} id={id} />
      ))}
      <Activity />
      <Notices />
    </>
  );
}

function open(steps: readonly ScriptedStep[], retry: Partial<RetryPolicy> = { maxAttempts: 1 }): void {
  const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference: scriptedInference(steps), retry });
  render(
    <AgentProvider sessions={memorySessions()}>
      <AgentSession agent={agent} sessionId="0198a2f0-0000-7000-8000-000000000003">
        <Conversation />
      </AgentSession>
    </AgentProvider>,
  );
}

describe('a person is told in a sentence of an answer', () => {
  it.each<[string, ScriptedStep, string]>([
    [
      'that was refused',
      { text: '', finishReason: 'content-filter' },
      'The model’s provider held back its answer.',
    ],
    [
      'that was refused with a reason',
      { text: '', finishReason: 'content-filter', explanation: 'Not about <b>that</b>.' },
      'The model’s provider held back its answer. It says: Not about <b>that</b>.',
    ],
    [
      'of which the rest was held back with a reason',
      { text: 'Well', finishReason: 'content-filter', explanation: 'SAFETY' },
      'The model’s provider held back the rest of this answer. It says: SAFETY',
    ],
    [
      'of which the rest was held back',
      { text: 'Well', finishReason: 'content-filter' },
      'The model’s provider held back the rest of this answer.',
    ],
    [
      'that was cut',
      { text: 'Well', finishReason: 'length' },
      'This answer was cut: the output limit is reached.',
    ],
    [
      'that was cut before it began',
      { text: '', finishReason: 'length' },
      'The model ran out of room before it said anything.',
    ],
    ['that is empty', { text: ' ' }, 'The model ended without an answer. Ask again, or in other words.'],
    [
      'from a model that its provider does not know',
      { error: { code: 'upstream-unknown-model', message: 'No such model.', retryable: false } },
      'This model is not available at its provider. Choose another one.',
    ],
    [
      'for which the account is used up',
      { error: { code: 'upstream-quota-exhausted', message: 'Used up.', retryable: false } },
      'This server has used up what it may ask of the model. Try another model, or later.',
    ],
  ])('%s', async (_what, step, sentence) => {
    open([step]);
    await act(() => send('Hi').catch(() => undefined));
    expect(await screen.findByText(sentence)).toBeTruthy();
  });

  it('and of nothing when it is whole', async () => {
    open([{ text: 'Well' }]);
    await act(() => send('Hi'));
    await screen.findByText('Well');
    expect(screen.getByRole('status').textContent).toBe('');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('that is waited for again', async () => {
    const busy = { error: { code: 'upstream-rate-limited', message: 'Busy.', retryable: true } };
    open([busy, { text: 'Well' }], { maxAttempts: 3, baseDelayMs: 300, maxDelayMs: 300 });
    let sent: Promise<unknown> = Promise.resolve();
    act(() => void (sent = send('Hi')));
    expect(await screen.findByText('The model did not answer. Trying again (2 of 3)…')).toBeTruthy();
    expect(screen.queryByText('Thinking…')).toBeNull();
    await act(() => sent);
    expect(await screen.findByText('Well')).toBeTruthy();
  });
});
