// @vitest-environment node
import { type AgentState, defineAgent } from '@vitrine/core';
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { useAgent } from './use-agent.ts';

const message = (id: string, role: string, text: string): object => ({
  id: `018f3c00-0000-7000-8000-00000000000${id}`,
  role,
  createdAt: 1_700_000_000_000,
  parts: [{ type: 'text', text }],
  metadata: {},
});

/** A state as a server reads it from its own database: plain JSON, read by no function of this library. */
const stored = JSON.stringify({
  agentId: '018f3c00-0000-7000-8000-000000000000',
  parentAgentId: null,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  seq: 2,
  executionCount: 1,
  llmConfig: null,
  context: {
    store: {
      sections: [
        { name: 'messages', messages: [message('1', 'user', 'Hi'), message('2', 'assistant', 'Hello!')] },
      ],
    },
    metadata: {},
    systemPrompt: '',
    responseFormat: null,
  },
  plugins: {},
  texts: {},
  retained: {},
  spentBefore: null,
  breakpoints: [],
  execution: null,
});

// The only test of its file, so that nothing else has been called before it.
it('useAgent renders the messages of an initial state of plain JSON on a server', () => {
  const inference = {
    stream(): never {
      throw new Error('A render calls no model.');
    },
  };
  const agent = defineAgent({ name: 'assistant', inference });
  const initialState = JSON.parse(stored) as AgentState;
  function Chat(): ReactNode {
    const { messages } = useAgent(agent, { initialState });
    return messages.map(({ id, parts }) => (
      <p key={id}>{parts.map((part) => (part.type === 'text' ? part.text : ''))}</p>
    ));
  }
  expect(renderToString(<Chat />)).toBe('<p>Hi</p><p>Hello!</p>');
});
