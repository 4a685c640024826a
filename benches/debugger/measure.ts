import { type AgentEvent, AgentState, createAgentLoop, defineAgent } from '@vitrine/core';
import { createDiagnosis, createRecorder, detectors, type HubSource, sessionHub } from '@vitrine/inspect';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import { median } from '../report.ts';

// node measure.ts diagnose|recorded|none|set prints the processor time of a step in microseconds: that of `diagnose`, that
// of the recorder of a closed panel, or that of a run without a breakpoint or with one that never applies.

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

type Told = readonly { readonly event: AgentEvent; readonly state: AgentState }[];

async function eventsOf(base: AgentState): Promise<Told> {
  const told: { readonly event: AgentEvent; readonly state: AgentState }[] = [];
  await run(base, (event, state) => told.push({ event, state }));
  return told;
}

/** The processor time of a step in something that listens, the median of nine passes. */
function heard(told: Told, listen: () => (event: AgentEvent, state: AgentState) => void): number {
  const passes = Array.from({ length: 9 }, () => {
    const listener = listen();
    const start = process.cpuUsage();
    for (const { event, state } of told) listener(event, state);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / steps;
  });
  return median(passes);
}

/** The recorder of a page whose panel nobody opened, as the listener of one journal. */
function closedPanel(base: AgentState): (event: AgentEvent, state: AgentState) => void {
  let listener: Parameters<HubSource['journal']['subscribe']>[0] | null = null;
  const journal: HubSource['journal'] = {
    id: 'walker',
    base,
    state: () => base,
    subscribe: (given) => {
      listener = given;
      return () => undefined;
    },
  };
  sessionHub().register({ id: crypto.randomUUID(), name: 'walker', journal });
  return (event, state) => listener?.(event, state);
}

const asked = AgentState.withUserMessage(AgentState.create(), 'Take the steps');
const watched: AgentState = {
  ...asked,
  breakpoints: [{ id: 'never', on: { type: 'tool', toolName: 'never' }, isOnce: false }],
};
// The first run warms the code up.
await run(asked);
console.log(await figure());

async function figure(): Promise<number> {
  if (where === 'none' || where === 'set') return run(where === 'set' ? watched : asked);
  const told = await eventsOf(asked);
  if (where === 'recorded') createRecorder();
  return heard(told, () =>
    where === 'recorded' ? closedPanel(asked) : createDiagnosis(asked, detectors).add,
  );
}
