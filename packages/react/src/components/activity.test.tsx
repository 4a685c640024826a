import { act, cleanup, render, screen } from '@testing-library/react';
import {
  AgentError,
  AgentProvider,
  AgentSessionProvider,
  defineAgent,
  defineTool,
  memorySessions,
  Message as Messages,
  useAgentSession,
  useMessageIds,
} from '../index.ts';
import { createAgentSession } from '@vitrine/core';
import type { RetryPolicy } from '@vitrine/core/types';
import { type ScriptedStep, scriptedInference } from '@vitrine/testing';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { Activity } from './activity.tsx';
import { MessageView } from './messages/message-view.tsx';
import { Notices } from './notices.tsx';

afterEach(cleanup);

let send: (text: string) => Promise<unknown>;
let rename: (title: string) => Promise<unknown>;
function ConversationView({ limitAction }: { readonly limitAction?: ReactNode }): ReactNode {
  ({ sendMessage: send, rename } = useAgentSession());
  return (
    <>
      {useMessageIds().map((id) => (
        <MessageView key={id} id={id} />
      ))}
      <Activity atLimit={limitAction} />
      <Notices />
    </>
  );
}

function open(steps: readonly ScriptedStep[], retry: Partial<RetryPolicy> = { maxAttempts: 1 }): void {
  const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference: scriptedInference(steps), retry });
  render(
    <AgentProvider sessions={memorySessions()}>
      <AgentSessionProvider agent={agent} sessionId="0198a2f0-0000-7000-8000-000000000003">
        <ConversationView />
      </AgentSessionProvider>
    </AgentProvider>,
  );
}

it('an answer that was cut at the length limit is said to be', async () => {
  // The first load may take longer than the test waits.
  await import('./kit/found-sentence.ts');
  open([{ text: 'The first half of', finishReason: 'length' }]);
  await act(async () => void (await send('Hi')));
  expect(await screen.findByText('The answer was cut at the length limit.')).toBeTruthy();
});

it('an answer that is whole has no sentence about missing parts', async () => {
  open([{ text: 'All of it.' }]);
  await act(async () => void (await send('Hi')));
  await screen.findByText('All of it.');
  expect(screen.getByRole('status').textContent).toBe('');
});

it('a conflict is shown as one sentence without ids and versions', async () => {
  const sessions = memorySessions();
  const refuse = async (): Promise<never> => {
    throw new AgentError('session-conflict', 'The session 0198a2f0 is at version 7, not 6.');
  };
  const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'Hi' }]) });
  render(
    <AgentProvider sessions={{ ...sessions, load: refuse }}>
      <AgentSessionProvider agent={agent} sessionId="0198a2f0-0000-7000-8000-000000000005">
        <ConversationView />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  await act(() => send('Hi'));
  const alert = await screen.findByRole('alert');
  expect(alert.querySelector('.vitrine-notice-text')?.textContent).toBe(
    'This conversation was changed in another window.',
  );
});

it('a run of another device is named, and that a message waits for it', async () => {
  const sessions = memorySessions();
  const sessionId = '0198a2f0-0000-7000-8000-000000000006';
  const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'Hi' }]) });
  render(
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider agent={agent} sessionId={sessionId}>
        <ConversationView />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  const execute = vi.fn(() => new Promise<string>(() => undefined));
  const look = defineTool({ name: 'look', description: '', input: z.object({}), execute });
  const inference = scriptedInference([{ toolCalls: [{ name: 'look', input: {} }] }]);
  const phone = createAgentSession({
    agent: defineAgent({ name: 'a', inference, tools: [look] }),
    sessions,
    sessionId,
  });
  void phone.sendMessage('Look');
  await vi.waitFor(() => expect(execute).toHaveBeenCalled());
  await phone.flush();
  act(() => void rename('Ours'));
  const sentence = await screen.findByText(/^Another page or device is answering. What you send waits/);
  // Text that pulses is too pale to read half of the time.
  expect(sentence.classList.contains('vitrine-busy')).toBe(false);
  await phone.stop();
});

describe('the sentence about the end of an answer', () => {
  it.each<[string, ScriptedStep, string]>([
    [
      'an answer that the provider refused',
      { text: '', finishReason: 'content-filter' },
      'The model’s provider held back its answer.',
    ],
    [
      'an answer refused with a reason',
      { text: '', finishReason: 'content-filter', explanation: 'Not about <b>that</b>.' },
      'The model’s provider held back its answer. It says: Not about <b>that</b>.',
    ],
    [
      'an answer whose rest was held back with a reason',
      { text: 'Well', finishReason: 'content-filter', explanation: 'SAFETY' },
      'The model’s provider held back the rest of this answer. It says: SAFETY',
    ],
    [
      'an answer whose rest was held back',
      { text: 'Well', finishReason: 'content-filter' },
      'The model’s provider held back the rest of this answer.',
    ],
    [
      'an answer cut at the output limit',
      { text: 'Well', finishReason: 'length' },
      'This answer was cut off at the output limit.',
    ],
    [
      'an answer cut before it began',
      { text: '', finishReason: 'length' },
      'The model ran out of room before it said anything.',
    ],
    [
      'an empty answer',
      { text: ' ' },
      'The model gave an empty answer. Ask again, or rephrase your message.',
    ],
    [
      'an unknown model',
      { error: { code: 'upstream-unknown-model', message: 'No such model.', retryable: false } },
      'This model is not available at its provider. Choose another one.',
    ],
    [
      'an exhausted quota',
      { error: { code: 'upstream-quota-exhausted', message: 'Used up.', retryable: false } },
      'This server’s quota at the model provider is used up. Try another model, or try later.',
    ],
  ])('one sentence explains %s', async (_what, step, sentence) => {
    open([step]);
    await act(() => send('Hi').catch(() => undefined));
    expect(await screen.findByText(sentence)).toBeTruthy();
  });

  it('a complete answer shows no sentence', async () => {
    open([{ text: 'Well' }]);
    await act(() => send('Hi'));
    await screen.findByText('Well');
    expect(screen.getByRole('status').textContent).toBe('');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('a retry shows its attempt number', async () => {
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

describe('an answer that stops at a limit', () => {
  const echo = defineTool({ name: 'echo', description: '', input: z.object({}), execute: () => 'done' });
  const steps = [{ toolCalls: [{ name: 'echo', input: {} }] }, { text: 'Well' }];

  it('an answer at its step limit names the limit and continues after Go on is pressed', async () => {
    const said: string[] = [];
    const inference = scriptedInference([
      ...steps.slice(0, 1),
      ({ messages }) => {
        said.push(messages.map((message) => Messages.text(message)).join('|'));
        return { text: 'Well' };
      },
    ]);
    const agent = defineAgent({ name: 'a', inference, tools: [echo], budget: { maxSteps: 1 } });
    render(
      <AgentSessionProvider agent={agent}>
        <ConversationView limitAction={<button>Change the limits</button>} />
      </AgentSessionProvider>,
    );
    await act(() => send('Hi'));
    expect(await screen.findByText('Stopped: this answer reached its limit of one step.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Change the limits' })).toBeTruthy();
    await act(async () => screen.getByRole('button', { name: 'Go on' }).click());
    await screen.findByText('Well');
    // The same run goes on: no message of the person is added.
    expect(said.join()).toMatch(/^Hi\|[^|]*\|/);
    expect(said.join()).not.toContain('Go on');
    expect(screen.queryByRole('button', { name: 'Go on' })).toBeNull();
  });

  it.each([
    [{ maxCost: 2 }, 'Stopped: this answer has a cost limit of 2, and the price of this model is unknown.'],
    [{ deadline: 1 }, 'Stopped: Deadline passed: 1970-01-01T00:00:00.001Z.'],
  ])('an answer with the limits %j ends with the sentence: %s', async (budget, sentence) => {
    const agent = defineAgent({ name: 'a', inference: scriptedInference(steps), tools: [echo], budget });
    render(
      <AgentSessionProvider agent={agent}>
        <ConversationView />
      </AgentSessionProvider>,
    );
    await act(() => send('Hi'));
    expect(await screen.findByText(sentence)).toBeTruthy();
  });

  it.each([
    [{ sessionBudget: { tokens: 5 } }, 'Stopped: this chat reached its limit of 5 tokens.', false],
    [
      { subagentPolicy: { maxTotalSteps: 1 } },
      'Stopped: this answer and its subagents reached their limit of one step.',
      true,
    ],
    [
      { budget: { maxTokens: 40 }, systemPrompt: 'x'.repeat(4000) },
      'Stopped: the next step needs more than the 40 tokens left of 40.',
      true,
    ],
  ])('an answer of an agent with %j ends with the sentence: %s', async (init, sentence, canGoOn) => {
    const usage = { inputTokens: 5, outputTokens: 1 };
    const inference = scriptedInference([{ toolCalls: [{ name: 'echo', input: {} }], usage }]);
    const agent = defineAgent({ name: 'a', inference, tools: [echo], ...init });
    render(
      <AgentSessionProvider agent={agent}>
        <ConversationView />
      </AgentSessionProvider>,
    );
    await act(() => send('Hi'));
    expect(await screen.findByText(sentence)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Go on' }) !== null).toBe(canGoOn);
  });

  it('an answer cut at the output limit has a button that asks for the rest', async () => {
    const said: string[] = [];
    const inference = scriptedInference([
      { text: 'Half', finishReason: 'length' },
      ({ messages }) => {
        said.push(messages.map((message) => Messages.text(message)).join('|'));
        return { text: 'The rest' };
      },
    ]);
    const agent = defineAgent({ name: 'a', inference });
    render(
      <AgentSessionProvider agent={agent}>
        <ConversationView />
      </AgentSessionProvider>,
    );
    await act(() => send('Hi'));
    await act(async () => (await screen.findByRole('button', { name: 'Continue' })).click());
    await screen.findByText('The rest');
    expect(said).toEqual(['Hi|Half|Continue']);
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
  });
});
