import { defineAgent, runAgent } from '@vitrine/react';
import { scriptedInference } from '@vitrine/testing';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Chat } from '../../apps/registry/chat.tsx';
import { registry } from '../../scripts/docs/registry.ts';

const { index, items } = registry();

it('the index names every item with its files, and an item has all files that its files import', () => {
  expect(index.items.map(({ name }) => name)).toEqual([
    'chat',
    'chat-messages',
    'chat-message-box',
    'chat-session-list',
    'a2ui',
  ]);
  for (const { files, dependencies } of items)
    for (const { content } of files) {
      const imported = [...content.matchAll(/(?:from|import) '([^']+)'/g)].map(([, name = '']) => name);
      for (const name of imported) {
        if (name.startsWith('./'))
          expect(files.map(({ path }) => path)).toContain(`components/${name.slice(2)}.tsx`);
        else
          expect(['react', ...dependencies].some((one) => name === one || name.startsWith(`${one}/`))).toBe(
            true,
          );
      }
      expect(content.startsWith("'use client';")).toBe(true);
    }
});

it('the chat of the registry shows a conversation with Markdown', async () => {
  const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'This is **bold**.' }]) });
  const { state } = await runAgent(agent, 'Hello');
  const page = renderToString(createElement(Chat, { agent, initialState: state }));
  expect(page).toContain('>Hello</article>');
  expect(page).toContain('<strong>bold</strong>');
  expect(page).toContain('aria-label="Message"');
});
