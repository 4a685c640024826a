import { act, fireEvent, render, screen } from '@testing-library/react';
import { AgentState, defineHook, Message, summarizeHistory } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage, echoSession, openedPanel } from '../../devtools-page.fixture.tsx';
import { SentChanges } from './sent-view.tsx';
import { requestChange, type StepRequest } from './step-record.ts';

const [kept, dropped, fresh] = ['Kept', 'Dropped', 'Fresh'].map((text) => Message.user(text)) as [
  Message,
  Message,
  Message,
];
const before = { systemPrompt: 'Be kind. password: hunter2', messages: [kept, dropped] };
const after = {
  systemPrompt: 'Be rude.',
  messages: [{ ...kept, parts: [{ type: 'text', text: 'Kept, but shortened' }] }, fresh],
};

describe('the request compared with the one before', () => {
  it('the comparison shows the old and new prompt and messages, and messages that are no longer sent', () => {
    const change = requestChange(after as unknown as StepRequest, before as unknown as StepRequest);
    render(<SentChanges change={change} number={3} />);
    screen.getByText(
      'Against step 3: 1 message new, 1 message no longer sent, 1 message changed, system prompt changed.',
    );
    for (const title of [/^System prompt of step 3/, /^Messages that changed/, /^Messages no longer sent/])
      fireEvent.click(screen.getByText(title));
    expect(screen.getByText(/^Be kind/).textContent).toBe('Be kind. password: •••');
    expect(['Kept', 'Kept, but shortened', 'Dropped'].map((text) => screen.getByText(text).tagName)).toEqual([
      'PRE',
      'PRE',
      'PRE',
    ]);
    expect(screen.queryByText('Fresh')).toBeNull();
  });
});

describe('the sentence about what was sent', () => {
  afterEach(closePage);

  const [all, rest] = ['Every message of the conversation was sent.', /^Messages were rewritten, removed or/];
  const rewriting = (
    rewrite: (message: Message, at: number, all: readonly Message[]) => readonly Message[],
  ) =>
    defineHook({
      name: 'editor',
      on: 'before-step',
      run: (state) => AgentState.withMessages(state, AgentState.messages(state).flatMap(rewrite)),
    });
  const shout = (message: Message): readonly Message[] =>
    message.role === 'user' ? [{ ...message, parts: [{ type: 'text', text: 'GO' }] }] : [message];

  async function sentAfter(init: object, messages: readonly string[]) {
    const panel = await openedPanel();
    const session = echoSession([], {
      tools: [],
      inference: scriptedInference([{ text: 'One' }, { text: 'Two' }]),
      ...init,
    });
    for (const message of messages) await act(async () => void (await session.sendMessage(message)));
    await panel.findByText(/^It finished after/);
    fireEvent.click(panel.getAllByRole('treeitem')[0]!);
    fireEvent.click(panel.getByRole('tab', { name: 'Sent' }));
    return panel;
  }

  it.each([
    ['all of it', {}, ['Go'], all],
    ['a message that a hook rewrote', { hooks: [rewriting(shout)] }, ['Go'], rest],
    [
      'a message that a hook removed',
      { hooks: [rewriting((one, at, { length }) => (at === 0 && length > 1 ? [] : [one]))] },
      ['Go', 'On'],
      rest,
    ],
    [
      'a summary of messages',
      { hooks: [summarizeHistory({ maxTokens: 1, maxBufferTokens: 1, summarize: () => 'They greeted.' })] },
      ['Go', 'On'],
      rest,
    ],
    ['a message of a person twice', {}, ['Go', 'Go'], /and one of a person came twice/],
  ])('it says the truth about %s', async (_what, init, messages, said) => {
    const panel = await sentAfter(init, messages);
    expect(await panel.findByText(said)).toBeTruthy();
    if (said !== all) expect(panel.queryByText(all)).toBeNull();
  });

  it('it is not said when the compiler left a message out or changed it', async () => {
    const panel = await sentAfter(
      { compileMessages: (state: AgentState) => AgentState.messages(state).flatMap(shout) },
      ['Go'],
    );
    expect(await panel.findByText('Left out or changed by the compiler (1)')).toBeTruthy();
    expect(panel.queryByText(all)).toBeNull();
  });
});
