import { cleanup, render, screen, waitFor } from '@testing-library/react';
import type { ChatMessage } from '@vitrine/core';
import { afterEach, expect, it } from 'vitest';
import { expectSilence } from '../../fixtures/chat.tsx';
import { ConversationSettingsContext } from '../messages/conversation-settings.tsx';
import { Answer } from '../messages/message-view.tsx';
import { Markdown } from './markdown.tsx';

expectSilence();
afterEach(cleanup);

const urls = ['https://one.example/a', 'https://two.example/b?q=1', 'javascript:alert(1)'];
const sources = urls.map((url, at) => ({
  type: 'source' as const,
  id: `${at}`,
  sourceType: 'url' as const,
  url,
  title: at === 0 ? 'One' : null,
  mediaType: null,
  filename: null,
}));

function page(text: string, parts: readonly object[] = sources) {
  const message = {
    id: 'm',
    role: 'assistant',
    createdAt: 0,
    metadata: {},
    parts: [{ type: 'text', text }, ...parts],
  } as unknown as ChatMessage;
  return (
    <ConversationSettingsContext.Provider value={settings}>
      <Answer message={message} />
    </ConversationSettingsContext.Provider>
  );
}
const settings = {
  Text: Markdown,
  views: {},
  onFork: null,
  feedback: false,
  readOnly: false,
  readAloud: null,
};
const draw = (text: string): HTMLElement => render(page(text)).container;

// A busy page shows the plain text until it has time to draw.
it('a number in brackets links to its source, which is numbered below the answer', async () => {
  const page = draw('So it is [1], they say [1, 2][2].');
  await waitFor(() => expect(page.textContent).toContain('So it is 1, they say 122.'));
  const { textContent } = page;
  expect(textContent).toContain('[1] Source: One');
  expect(textContent).toContain('[2] Source: https://two.example/b?q=1');
  const links = screen.getAllByRole('link', { name: /^\d, Source: / });
  expect(links.map((link) => link.getAttribute('href'))).toEqual([urls[0], urls[0], urls[1], urls[1]]);
  expect(links[0]?.getAttribute('aria-label')).toBe('1, Source: One, one.example');
  expect(links[2]?.getAttribute('aria-label')).toBe('2, Source: two.example ?…');
});

it.each([
  ['a number without a source', 'See [4] and [0].', 'See [4] and [0].'],
  ['a list with a number that has no source', 'See [1, 9].', 'See [1, 9].'],
  ['the number of a source with another scheme', 'Run [3].', 'Run [3].'],
  ['a number in code', 'Read `list[1]`.', 'Read list[1].'],
  ['a number in a link', 'Read [as in [1]](https://x.example).', 'Read as in [1]'],
])('%s stays text', async (_what, text, shown) => {
  const page = draw(text);
  await waitFor(() => expect(page.textContent).toContain(shown));
  expect(screen.queryAllByRole('link', { name: /^\d, Source: / })).toEqual([]);
});

it('a source that comes behind the text makes a link of its number', async () => {
  const { container, rerender } = render(page('So it is [1].', []));
  expect(container.textContent).toBe('So it is [1].');
  rerender(page('So it is [1].'));
  expect(await screen.findByRole('link', { name: '1, Source: One, one.example' })).toBeTruthy();
});
