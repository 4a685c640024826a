import { AgentState, createAgentLoop, defineAgent, defineTool, Message } from '@vitrine/core';
import { diff } from '@vitrine/inspect';
import * as z from 'zod';
import { answersWith } from '../heap/scripted.ts';
import type { Measured } from '../scenario.ts';

const [history, steps] = [2500, 60];

/** Measures the comparisons of the panel: two steps of one run, and the same where one state was loaded from a file. */
export async function diffs(rounds: number): Promise<Measured> {
  const states = await statesOfRun();
  const read = states.map((state) =>
    AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state)))),
  );
  const bytes = JSON.stringify(AgentState.toJSON(states.at(-1) ?? AgentState.create())).length;
  const shared = times(rounds, states, states);
  const imported = times(rounds, states, read);
  const row = (name: string, sorted: readonly number[]): string[] => [
    name,
    share(sorted, 0.5).toFixed(2),
    share(sorted, 0.95).toFixed(2),
  ];
  return {
    tables: [
      {
        title: `Differences of two steps of ${steps}, in a state of ${(bytes / 1e6).toFixed(1)} MB`,
        head: ['', 'ms, median', 'ms, 95th percentile'],
        rows: [row('of one run', shared), row('one of them from a file', imported)],
      },
    ],
    figures: [
      { goal: 'diffShared', of: `${steps} steps`, value: share(shared, 0.95) },
      { goal: 'diffImported', of: `${steps} steps`, value: share(imported, 0.95) },
    ],
  };
}

async function statesOfRun(): Promise<readonly AgentState[]> {
  const echo = defineTool({
    name: 'echo',
    description: 'Gives back what it is given',
    input: z.object({ n: z.number() }),
    execute: ({ n }) => ({ n, found: 'a result of some length, as tools give them '.repeat(20) }),
  });
  const agent = defineAgent({
    name: 'bench',
    tools: [echo],
    inference: answersWith(steps - 1),
    budget: { maxSteps: steps },
  });
  let state = AgentState.create();
  const messages = Array.from({ length: history }, (_, index) =>
    Message.user(`Message ${index}: ${'some words of a conversation '.repeat(7)}`),
  );
  state = AgentState.withMessages(state, messages);
  const states: AgentState[] = [];
  for await (const after of createAgentLoop(agent).iterate(state)) states.push(after);
  return states;
}

/** Compares every step with one at some distance; the times are sorted. */
function times(rounds: number, from: readonly AgentState[], to: readonly AgentState[]): readonly number[] {
  const found: number[] = [];
  for (let round = 0; round < rounds; round++)
    for (const [index, before] of from.entries()) {
      const after = to[(index * 7 + round + 1) % to.length] ?? before;
      const startedAt = performance.now();
      diff(before, after);
      found.push(performance.now() - startedAt);
    }
  return found.sort((a, b) => a - b);
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}
