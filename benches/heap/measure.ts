import { AgentState, createAgentLoop, defineAgent, defineTool } from '@vitrine/core';
import * as z from 'zod';
import { answersWith } from './scripted.ts';

// node --expose-gc measure.ts steps|reload|executions prints bytes; each figure has its own process

const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error('Heap is measured with --expose-gc only.');

async function heapUsed(): Promise<number> {
  for (let pass = 0; pass < 6; pass++) {
    collect?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed;
}

const stepCount = 5000;

async function runSteps(count: number): Promise<AgentState> {
  const echo = defineTool({
    name: 'echo',
    description: 'Gives back what it is given',
    input: z.object({ n: z.number() }),
    execute: ({ n }) => `The result of call ${n}, as long as such things are when they are short.`,
  });
  const agent = defineAgent({
    name: 'bench',
    systemPrompt: '',
    tools: [echo],
    inference: answersWith(count),
    budget: { maxSteps: count + 1 },
  });
  return createAgentLoop(agent).execute(AgentState.withUserMessage(AgentState.create(), 'Go'));
}

/** The memory that a run of 5,000 steps retains. */
async function steps(): Promise<number> {
  await runSteps(50);
  const before = await heapUsed();
  const state = await runSteps(stepCount);
  const after = await heapUsed();
  if (AgentState.stepCount(state) !== stepCount + 1) throw new Error('The run has not made its steps.');
  return after - before;
}

/** The same run after it was stored as text and loaded again. */
async function reload(): Promise<number> {
  AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(await runSteps(50)))));
  const text = JSON.stringify(AgentState.toJSON(await runSteps(stepCount)));
  const before = await heapUsed();
  const state = AgentState.fromJSON(JSON.parse(text));
  const after = await heapUsed();
  // The text is used once more, so that both figures include it.
  if (AgentState.stepCount(state) !== stepCount + 1 || text.length === 0)
    throw new Error('The run has not been loaded.');
  return after - before;
}

/** The memory that one finished execution retains besides its messages. */
async function executions(): Promise<number> {
  const loop = createAgentLoop(defineAgent({ name: 'bench', systemPrompt: '', inference: answersWith(0) }));
  const count = 1000;
  let state = AgentState.create();
  const run = async (times: number): Promise<void> => {
    for (let index = 0; index < times; index++)
      state = await loop.execute(AgentState.withUserMessage(AgentState.withMessages(state, []), 'Go'));
  };
  await run(200);
  const before = await heapUsed();
  await run(count);
  return ((await heapUsed()) - before) / count;
}

const measures: Readonly<Record<string, () => Promise<number>>> = { steps, reload, executions };
const measure = measures[process.argv[2] ?? ''];
if (!measure) throw new Error(`Say what to measure: ${Object.keys(measures).join(', ')}.`);
process.stdout.write(String(await measure()));
