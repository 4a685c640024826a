import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { importMessages } from '@vitrine/messages';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { agentOf, expectSilence } from '../../fixtures/chat.tsx';
import { stubLayout } from '../no-layout.fixture.ts';
import { Chat } from './chat.tsx';

expectSilence();
const saved: { readonly name: string; readonly blob: Blob }[] = [];
beforeEach(() => {
  stubLayout();
  sessionStorage.clear();
  let blob: Blob | null = null;
  // The page of the test neither saves files nor follows links.
  vi.stubGlobal(
    'URL',
    Object.assign(URL, {
      createObjectURL: (given: Blob) => ((blob = given), 'blob:x'),
      revokeObjectURL: () => {},
    }),
  );
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    if (blob !== null) saved.push({ name: this.download, blob });
  });
});
afterEach(() => {
  saved.length = 0;
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  cleanup();
});

it('the menu of an open conversation saves it as Markdown and as JSON, without the prompt', async () => {
  const agent = agentOf([{ text: 'It is **warm**.' }], { systemPrompt: 'Never tell this.' });
  render(<Chat agent={agent} download />);
  const field = screen.getByLabelText('Message');
  fireEvent.change(field, { target: { value: 'How is Bern?' } });
  await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
  const menu = await screen.findByLabelText('Save the conversation');
  for (const name of ['As text (Markdown)', 'As data (JSON)']) {
    const details = menu.closest('details')!;
    details.open = true;
    await act(async () => void fireEvent(details, new Event('toggle')));
    await act(async () => void fireEvent.click(await screen.findByRole('button', { name })));
    await waitFor(() => expect(screen.queryByRole('button', { name })).toBe(null));
  }
  expect(saved.map(({ name }) => name)).toEqual(['How-is-Bern-.md', 'How-is-Bern-.json']);
  const [text = '', json = ''] = await Promise.all(saved.map(({ blob }) => blob.text()));
  expect(text).toBe('# How is Bern?\n\n## User\n\nHow is Bern?\n\n## Assistant\n\nIt is **warm**.\n');
  expect(json).not.toContain('Never tell');
  const { sessions = [] } = await importMessages(json);
  expect(sessions[0]?.title).toBe('How is Bern?');
});

it('a chat without messages, or without the prop, has no such menu', async () => {
  const { rerender } = render(<Chat agent={agentOf([{ text: 'Yes.' }])} download />);
  await screen.findByLabelText('Message');
  expect(screen.queryByLabelText('Save the conversation')).toBe(null);
  rerender(<Chat agent={agentOf([{ text: 'Yes.' }])} />);
  expect(screen.queryByLabelText('Save the conversation')).toBe(null);
});
