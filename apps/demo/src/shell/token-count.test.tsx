import { AgentSessionProvider, defineAgent, runAgent } from '@vitrine/react';
import { memorySessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { TokenCount } from './token-count.tsx';

afterEach(cleanup);

it.each([
  [
    { inputTokens: 1000, cacheReadTokens: 840, outputTokens: 10 },
    '1,010 tokens, 84 % of its input from the cache',
  ],
  [{ inputTokens: 1000, outputTokens: 10 }, '1,010 tokens'],
])(
  'the count of tokens says the share that a cache has saved, and nothing without one',
  async (usage, text) => {
    const agent = defineAgent({
      name: 'researcher',
      inference: scriptedInference([{ text: 'Done.', usage }]),
    });
    const { state } = await runAgent(agent, 'Read.');
    render(
      <AgentSessionProvider agent={agent} initialState={state}>
        <TokenCount sessions={memorySessions()} sessionId="s" />
      </AgentSessionProvider>,
    );
    expect((await screen.findByTitle('Of all runs of this session')).textContent).toBe(text);
  },
);
