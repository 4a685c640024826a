import { type AgentEvent, AgentState, createAgentLoop, defineAgent } from '@vitrine/core';
import { createDiagnosis, detectors } from '@vitrine/core/inspect';
import { fakeTool, scriptedInference } from '@vitrine/core/testing';

// node measure.ts diagnose|none|set prints the processor time of a step in microseconds: that of `diagnose`, or that of
// a run without a breakpoint or with one that never applies.

const steps = 1000;
const where = process.argv[2];

const agent = defineAgent({
  name: 'walker',
  systemPrompt: 'Walk.',
  tools: [fakeTool('look', 'found')],
  inference: scriptedInference([
    ({ messages }) => {
      const number = messages.length;
      return number < 2 * steps - 2
        ? { text: 'On', toolCalls: [{ name: 'look', input: { number } }] }
        : { text: 'All steps are taken.' };
    },
  ]),
  budget: { maxSteps: 2 * steps },
});

/** Runs the steps, and returns the processor time of each in microseconds. */
async function run(
  base: AgentState,
  onEvent?: (event: AgentEvent, state: AgentState) => void,
): Promise<number> {
  const loop = createAgentLoop(agent, onEvent === undefined ? {} : { onEvent });
  const start = process.cpuUsage();
  const end = await loop.execute(base);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / AgentState.stepCount(end);
}

async function diagnosed(base: AgentState): Promise<number> {
  const told: { readonly event: AgentEvent; readonly state: AgentState }[] = [];
  await run(base, (event, state) => told.push({ event, state }));
  const warming = createDiagnosis(base, detectors);
  for (const { event, state } of told) warming.add(event, state);
  const diagnosis = createDiagnosis(base, detectors);
  const start = process.cpuUsage();
  for (const { event, state } of told) diagnosis.add(event, state);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / steps;
}

const asked = AgentState.withUserMessage(AgentState.create(), 'Take the steps');
const watched: AgentState = {
  ...asked,
  breakpoints: [{ id: 'never', on: { type: 'tool', toolName: 'never' }, isOnce: false }],
};
// The first run warms the code up.
await run(asked);
const figure = where === 'diagnose' ? await diagnosed(asked) : await run(where === 'set' ? watched : asked);
console.log(figure);
