import { defineAgent, runAgent } from '@vitrine/react';
import { scriptedInference } from '@vitrine/core/testing';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Chat } from '../../apps/registry/chat.tsx';
import { chatItem } from '../../scripts/docs/registry.ts';

it('the item of the registry has files that an application compiles as they are', () => {
  const { files, dependencies } = chatItem();
  expect(files.map(({ path }) => path)).toEqual([
    'components/chat.tsx',
    'components/chat-messages.tsx',
    'components/chat-message-box.tsx',
  ]);
  for (const { content } of files) {
    const imported = [...content.matchAll(/(?:from|import) '([^']+)'/g)].map(([, name = '']) => name);
    for (const name of imported) {
      if (name.startsWith('./'))
        expect(files.some(({ path }) => path === `components/${name.slice(2)}.tsx`)).toBe(true);
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
  const page = renderToString(<Chat agent={agent} initialState={state} />);
  expect(page).toContain('>Hello</article>');
  expect(page).toContain('<strong>bold</strong>');
  expect(page).toContain('aria-label="Message"');
});
