import { AgentState, createAgentLoop, defineAgent, defineTool, scriptedInference } from '@vitrine/core';
import * as z from 'zod';
import { median, print } from '../report.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Echoes',
  input: z.object({ n: z.number() }),
  execute: ({ n }) => n,
});

/** 200 steps with a tool call each: the last should cost what the first did. */
export async function toolSteps(rounds: number): Promise<void> {
  const runs: number[][] = [];
  for (let round = 0; round < rounds + 3; round++) {
    const inference = scriptedInference([{ text: 'Next', toolCalls: [{ name: 'echo', input: { n: 1 } }] }]);
    const agent = defineAgent({
      name: 'bench',
      systemPrompt: '',
      tools: [echo],
      inference,
      budget: { maxSteps: 200 },
    });
    const times: number[] = [];
    const loop = createAgentLoop(agent, {
      onEvent: (event) => event.type === 'step-end' && times.push(performance.now()),
    });
    const startedAt = performance.now();
    await loop.execute(AgentState.withUserMessage(AgentState.create(), 'Go'));
    // The first runs only warm up.
    if (round >= 3) runs.push(times.map((time, index) => time - (times[index - 1] ?? startedAt)));
  }
  const stepMs = median(runs.map((steps) => steps.reduce((sum, step) => sum + step, 0) / steps.length));
  const ratio = median(runs.map((steps) => average(steps.slice(-10)) / average(steps.slice(0, 10))));
  print(
    '200 tool steps with scripted inference',
    ['figure', 'measured', 'goal'],
    [
      ['ms per step', stepMs.toFixed(3), '0.75'],
      ['last ten / first ten', ratio.toFixed(2), '1.30'],
    ],
  );
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
