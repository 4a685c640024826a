import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { highlight } from './highlight.ts';
import { TimedMarkdown } from './markdown.tsx';
import { createTimeBox } from './time-box.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const timeBox = createTimeBox({ ms: 16, now: () => 0, nextFrame: (listener) => void setTimeout(listener) });
const answer = (text: string) => <TimedMarkdown text={text} timeBox={timeBox} />;

it('a code block shows its language, and its colours once it is finished', async () => {
  const { container, rerender } = render(answer('```ts\nconst one = 1;\n'));
  expect(container.querySelector('.vitrine-code-info')?.textContent).toBe('ts');
  await import('./highlight.ts');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(container.querySelector('pre span[class]')).toBeNull();
  rerender(answer('```ts\nconst one = 1;\n```\n'));
  await waitFor(() => expect(container.querySelector('.hljs-keyword')?.textContent).toBe('const'));
  expect(container.querySelector('pre')?.textContent).toBe('const one = 1;');
});

it('a finished code block does not change while the rest of the answer streams', async () => {
  const code = '```ts\nconst one = 1;\n```\n';
  const { container, rerender } = render(answer(code));
  await waitFor(() => expect(container.querySelector('.hljs-keyword')).not.toBeNull());
  const observer = new MutationObserver(() => undefined);
  observer.observe(container.querySelector('.vitrine-code') as Element, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  });
  for (const text of ['A', 'A word', 'A word.\n\nAnd', 'A word.\n\nAnd one']) rerender(answer(code + text));
  expect(container.textContent).toContain('And one');
  expect(observer.takeRecords()).toEqual([]);
});

it.each([
  ['in a list', '- ```js words\n  let a;\n  ```', 'js words'],
  ['in a quotation', '> ```js\n> let a;\n> ```\n', 'js'],
])('code %s shows its language and colours too', async (_where, text, info) => {
  const { container } = render(answer(text));
  expect(container.querySelector('.vitrine-code-info')?.textContent).toBe(info);
  await waitFor(() => expect(container.querySelector('.hljs-keyword')?.textContent).toBe('let'));
  expect(container.querySelector('pre')?.textContent).toBe('let a;');
});

it('a code block in a list has no colours while it streams', async () => {
  const { container } = render(answer('- ```js\n  let a;\n'));
  await import('./highlight.ts');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(container.querySelector('pre')?.textContent).toBe('let a;');
  expect(container.querySelector('pre span[class]')).toBeNull();
});

it('a code block is copied unchanged, and a refusing clipboard is reported', async () => {
  const writeText = vi.fn<(text: string) => Promise<void>>(async () => undefined);
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  render(answer('- ```js\n  a =\u200b 1\n\n  b\n  ```\n\n```\n  c\n```'));
  const [first, second] = screen.getAllByRole('button', { name: 'Copy code' });
  fireEvent.click(first as Element);
  fireEvent.click(second as Element);
  await waitFor(() => expect(screen.getAllByText('Copied.')).toHaveLength(2));
  expect(writeText.mock.calls).toEqual([['a =\u200b 1\n\nb'], ['  c']]);
  writeText.mockRejectedValue(new Error('no'));
  fireEvent.click(second as Element);
  await screen.findByText('Copying is not allowed here; select the text instead.');
});

it('invisible characters are marked in highlighted code', async () => {
  const { container } = render(answer('```js\nlet a\u202e = 1;\n```'));
  await waitFor(() => expect(container.querySelector('.hljs-keyword')).not.toBeNull());
  expect(container.querySelector('pre .vitrine-hidden-characters')).not.toBeNull();
});

it('code in an unknown language and very long code stay in one colour', () => {
  expect(highlight('a', 'constructor')).toBeNull();
  expect(highlight('let a;', 'ts')).not.toBeNull();
  expect(highlight('let a;'.repeat(4000), 'ts')).toBeNull();
});

it.each([
  ['parentheses', '('.repeat(6000)],
  ['templates in each other', '`${'.repeat(2000)],
  ['JSX in each other', '<a>{'.repeat(1500)],
  ['quotes', '"\\'.repeat(3000)],
  ['a long word', 'a'.repeat(6000)],
  ['comments', '/*'.repeat(3000)],
  ['functions', 'function a(b = '.repeat(400)],
  ['arrows', '(a, b, '.repeat(850)],
])('hostile code keeps its text when it is highlighted: %s', (_what, code) => {
  for (const language of ['ts', 'cpp', 'php', 'xml', 'markdown', 'sql', 'bash', 'swift']) {
    const text = highlight(code, language)
      ?.map((token) => token.text)
      .join('');
    expect(text).toBe(code);
  }
});
