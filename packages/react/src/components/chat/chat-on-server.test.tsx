// @vitest-environment node
import { browserSessions } from '@vitrine/persist';
import { defineAgent } from '@vitrine/core';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { Chat } from './chat.tsx';

it('a server renders a chat without a random id, which frameworks that prerender refuse', () => {
  const random = vi.spyOn(crypto, 'getRandomValues');
  const html = renderToString(<Chat agent={defineAgent({})} sessions={browserSessions()} />);
  expect(html).toContain('vitrine-chat');
  expect(random).not.toHaveBeenCalled();
});
