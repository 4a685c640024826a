import {
  AgentState,
  createAgentLoop,
  defineAgent,
  defineTool,
  Message,
  scriptedInference,
} from '@vitrine/core';
import * as z from 'zod';
import { median, print } from '../report.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Echoes',
  input: z.object({ n: z.number() }),
  execute: () => 'a result of some length, as tools give them',
});

/** A session of 1,000 messages and a run of 200 tool steps. */
async function session(): Promise<AgentState> {
  const messages = Array.from({ length: 600 }, (_, index) =>
    Message.user(`Message ${index}: ${'some words of a conversation '.repeat(5)}`),
  );
  const inference = scriptedInference([
    { text: 'I need to look something up first.', toolCalls: [{ name: 'echo', input: { n: 1 } }] },
  ]);
  const agent = defineAgent({
    name: 'bench',
    systemPrompt: '',
    tools: [echo],
    inference,
    budget: { maxSteps: 200 },
  });
  return createAgentLoop(agent).execute(AgentState.create({ messages }));
}

export async function serialization(rounds: number): Promise<void> {
  const state = await session();
  const text = JSON.stringify(AgentState.toJSON(state));
  const plain = JSON.stringify(AgentState.messages(state));
  const time = (act: () => void): number => {
    const times = Array.from({ length: rounds * 10 }, () => {
      const startedAt = performance.now();
      act();
      return performance.now() - startedAt;
    });
    return median(times.slice(times.length / 2));
  };
  const document: unknown = JSON.parse(text);
  print(
    `${AgentState.messages(state).length} messages and ${AgentState.stepCount(state)} steps`,
    ['figure', 'measured', 'goal'],
    [
      ['toJSON, ms', time(() => void AgentState.toJSON(state)).toFixed(2), '1.50'],
      ['fromJSON with validation, ms', time(() => void AgentState.fromJSON(document)).toFixed(2), '5.00'],
      ['size / JSON of its messages', (text.length / plain.length).toFixed(2), '1.30'],
    ],
  );
}
