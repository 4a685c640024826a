import { AgentState, createAgentLoop, defineAgent, defineTool, Message } from '@vitrine/core';
import * as z from 'zod';
import { answersWith } from '../heap/scripted.ts';
import { median } from '../report.ts';
import type { Measured } from '../scenario.ts';

/** A session of 1,000 messages and a run of 200 tool steps, from text to state. */
export async function documents(rounds: number): Promise<Measured> {
  const state = await makeState();
  const text = JSON.stringify(AgentState.toJSON(state));
  const plain = JSON.stringify(AgentState.messages(state));
  const loadMs = time(rounds, () => void AgentState.fromJSON(JSON.parse(text)));
  const saveMs = time(rounds, () => void JSON.stringify(AgentState.toJSON(state)));
  return {
    tables: [
      {
        title: `${AgentState.messages(state).length} messages and ${AgentState.stepCount(state)} steps`,
        head: ['figure', 'ms'],
        rows: [
          ['to text', saveMs.toFixed(2)],
          ['from text, validated', loadMs.toFixed(2)],
        ],
      },
    ],
    figures: [
      { goal: 'load', of: 'core, without a store', value: loadMs },
      { goal: 'documentSize', of: 'core', value: text.length / plain.length },
    ],
  };
}

function makeState(): Promise<AgentState> {
  const messages = Array.from({ length: 600 }, (_, index) =>
    Message.user(`Message ${index}: ${'some words of a conversation '.repeat(5)}`),
  );
  const echo = defineTool({
    name: 'echo',
    description: 'Gives back what it is given',
    input: z.object({ n: z.number() }),
    execute: () => 'a result of some length, as tools give them',
  });
  const agent = defineAgent({
    name: 'bench',
    systemPrompt: '',
    tools: [echo],
    inference: answersWith(199),
    budget: { maxSteps: 200 },
  });
  return createAgentLoop(agent).execute(AgentState.create({ messages }));
}

function time(rounds: number, act: () => void): number {
  const times = Array.from({ length: rounds * 10 }, () => {
    const startedAt = performance.now();
    act();
    return performance.now() - startedAt;
  });
  return median(times);
}
