import { type AgentDefinition, AgentState, createAgentSession } from '@vitrine/core';
import {
  createRecorder,
  diagnose,
  journalOfRun,
  type JournalRecord,
  meets,
  runExperiment,
  runsOf,
  sessionHub,
} from '@vitrine/inspect';
import { expect, it } from 'vitest';
import { faultyAgents } from './faulty-agents.fixture.ts';
import { healthyAgents } from './healthy-agents.fixture.ts';
import type { Fault, Healthy, World } from './reading-model.fixture.ts';

type Talk = Pick<Healthy, 'agent' | 'messages' | 'drive'>;
type Recorded = {
  readonly agent: AgentDefinition;
  readonly world: World;
  readonly state: AgentState;
  readonly record: JournalRecord;
};

/** Speaks with an agent, and returns its record. */
async function recordTalk({ agent, messages, drive }: Talk): Promise<Recorded> {
  const world: World = { ran: [], effects: [] };
  const recorder = createRecorder();
  const definition = agent(world);
  const session = createAgentSession({ agent: definition });
  if (drive) await drive(session);
  else for (const message of messages) await session.sendMessage(message);
  const { state } = session.store.getState();
  const record = recorder.read(sessionHub().sources().at(-1)!);
  await session.dispose();
  recorder.dispose();
  return { agent: definition, world, state, record };
}

const recordFault = ({ agent, messages }: Fault, isMended: boolean): Promise<Recorded> =>
  recordTalk({ messages, agent: (world) => agent(world, isMended) });

it('thirty faulty and thirty healthy agents have names of their own', () => {
  const names = [...faultyAgents, ...healthyAgents].map(({ name }) => name);
  expect([faultyAgents.length, healthyAgents.length, new Set(names).size]).toEqual([30, 30, 60]);
});

it('each fault breaks its wish, and the agent without the cause meets it', async () => {
  const wrong: string[] = [];
  for (const fault of faultyAgents) {
    const [broken, mended] = await Promise.all([recordFault(fault, false), recordFault(fault, true)]);
    if ((await meets(broken.state, fault.wish)).met !== false) wrong.push(`${fault.name} meets it`);
    if ((await meets(mended.state, fault.wish)).met !== true) wrong.push(`${fault.name} mended does not`);
  }
  expect(wrong).toEqual([]);
});

it('healthy runs have no fault, and two have hints that their author did not mean', async () => {
  const lines: string[] = [];
  for (const healthy of healthyAgents) {
    const { agent, state, record } = await recordTalk(healthy);
    expect(AgentState.finalResponse(state), healthy.name).toContain(healthy.says);
    const found = diagnose(record, { agent });
    expect(found.filter(({ severity }) => severity === 'fault')).toEqual([]);
    const alarms = found.filter(({ code }) => !healthy.meant?.includes(code));
    if (alarms.length > 0)
      lines.push(healthy.name, ...alarms.map(({ code, sentence }) => `  ${code}: ${sentence}`));
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('healthy-alarms.txt');
  expect(lines.filter((line) => !line.startsWith(' ')).length).toBeLessThanOrEqual(2);
});

it('a finding or an experiment of 30 calls names the causes in the list, without an effect', async () => {
  const lines: string[] = [];
  for (const fault of faultyAgents) {
    const { agent, world, record } = await recordFault(fault, false);
    // A word about the cost of a request explains no answer.
    const findings = diagnose(record, { agent }).filter(({ code }) => code !== 'prefix-broken');
    const finding = findings.find(({ sentence }) => fault.part.test(sentence));
    const effects = world.effects.length;
    const journal = journalOfRun(record, runsOf(record).at(-1)!)!;
    const { sentence, cause, calls } = await runExperiment(journal, agent, { expectation: fault.wish });
    expect(calls, fault.name).toBeLessThanOrEqual(30);
    expect(world.effects.length - effects, `effects of ${fault.name}`).toBe(0);
    const experiment = cause !== null && fault.part.test(cause.name);
    const by = [...(finding ? ['finding'] : []), ...(experiment ? ['experiment'] : [])];
    lines.push(
      `${fault.name}: ${by.join(' and ') || 'not named'}`,
      `  cause: ${fault.cause}`,
      ...(finding ? [`  ${finding.code}: ${finding.sentence}`] : []),
      `  experiment: ${sentence}`,
    );
  }
  const named = lines.filter((line) => /^\S/.test(line) && !line.endsWith('not named')).length;
  await expect(`${named} of ${faultyAgents.length} named\n\n${lines.join('\n')}\n`).toMatchFileSnapshot(
    'faults-named.txt',
  );
  expect(named).toBeGreaterThanOrEqual(22);
});
