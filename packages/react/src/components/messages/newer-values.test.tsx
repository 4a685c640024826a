import { cleanup, render, screen } from '@testing-library/react';
import type { ChatMessage, ChatToolCall } from '@vitrine/core';
import { afterEach, expect, it } from 'vitest';
import { Answer } from './message-view.tsx';
import { ToolStatus } from './tool-call-view.tsx';

afterEach(cleanup);

it('an answer with a part of a newer version shows a note in its place', () => {
  const parts = [{ type: 'text', text: 'Look' }, { type: 'hologram' }];
  render(<Answer message={{ id: 'm', role: 'assistant', metadata: {}, parts } as unknown as ChatMessage} />);
  expect(screen.getByText('Look')).toBeTruthy();
  expect(screen.getByText(/needs a newer version/)).toBeTruthy();
});

it('an answer with a data part shows nothing in its place', () => {
  const parts = [{ type: 'data', name: 'weather', data: 1 }];
  render(<Answer message={{ id: 'm', role: 'assistant', metadata: {}, parts } as unknown as ChatMessage} />);
  expect(screen.getByRole('article').textContent).toBe('');
});

it('a call with a status of a newer version shows the status itself', () => {
  render(<ToolStatus call={{ status: 'parked', durationMs: null } as unknown as ChatToolCall} />);
  expect(screen.getByText('parked')).toBeTruthy();
});
