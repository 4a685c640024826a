import { fireEvent, render, screen } from '@testing-library/react';
import { Message } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
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
