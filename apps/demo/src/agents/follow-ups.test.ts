import { AgentState, defineAgent, Message, runAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { expect, it } from 'vitest';
import { followUps } from './follow-ups.ts';

type Answer = NonNullable<Parameters<typeof scriptedInference>[0]>[number];

async function lastOf(answer: Answer): Promise<Message | undefined> {
  const agent = defineAgent({
    name: 'assistant',
    inference: scriptedInference([answer]),
    plugins: [followUps],
  });
  const { state } = await runAgent(agent, 'Hello');
  return AgentState.messages(state).at(-1);
}

it.each([1, 7, 40])('follow-ups become data of the answer, in %i pieces', async (chunks) => {
  const message = await lastOf({ text: 'It is **1 < 2**.\n\n<next>Why?| |And 3?|4|5</next>', chunks });
  expect(message && Message.text(message)).toBe('It is **1 < 2**.');
  expect(message?.parts.at(-1)).toEqual({ type: 'data', name: 'suggestions', data: ['Why?', 'And 3?', '4'] });
});

it.each(['Plain.', 'It ends with <', 'It ends with <nex', '  '])(
  'an answer without follow-ups stays as it is: %j',
  async (text) => {
    const message = await lastOf({ text, chunks: 3 });
    expect(message?.parts).toEqual([{ type: 'text', text }]);
  },
);
