import { defineAgent, defineTool, proxyInference } from '@vitrine/react';

const input = {
  '~standard': { version: 1, vendor: 'bench', validate: (value: unknown) => ({ value }) },
} as const;

/** An agent with one tool and a hand-written schema. */
export const agent = defineAgent({
  name: 'assistant',
  systemPrompt: 'Be kind.',
  inference: proxyInference({ url: `${location.origin}/v/20-0-1-0` }),
  tools: [
    defineTool({
      name: 'add',
      description: 'Adds two numbers',
      input,
      inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      execute: () => 3,
    }),
  ],
});
