import { createAgentSession } from '@vitrine/core';
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
import { describe, expect, it } from 'vitest';
import { faultyAgents, hiddenFaults, stateBefore } from './faulty-agents.ts';
import type { HiddenFault } from './hidden-fault.ts';

const mostCalls = 30;

async function recordOf(fault: HiddenFault, isMended = false): Promise<JournalRecord> {
  const recorder = createRecorder();
  const session = createAgentSession({ agent: fault.create(isMended), initialState: stateBefore(fault) });
  try {
    for (const text of [...(fault.askedBefore ?? []), fault.question]) await session.sendMessage(text);
    return recorder.read(sessionHub().sources().at(-1)!);
  } finally {
    await session.dispose();
    recorder.dispose();
  }
}

it('there are ten hidden faults, each with an id and a kind of change of its own', () => {
  expect(hiddenFaults).toHaveLength(10);
  expect(new Set([...faultyAgents, ...hiddenFaults].map(({ id }) => id)).size).toBe(30);
  expect(new Set(hiddenFaults.map(({ change }) => change)).size).toBe(10);
});

describe.each(hiddenFaults)('the hidden fault $id', (fault) => {
  it('the run ends as usual, without any finding', async () => {
    const record = await recordOf(fault);
    expect(record.state.execution?.status).toBe('completed');
    expect(diagnose(record, { agent: fault.create() })).toEqual([]);
  });

  it('the agent that is mended as its page says does what the person wants', async () => {
    const [broken, mended] = [await recordOf(fault), await recordOf(fault, true)];
    expect((await meets(broken.state, fault.means)).met).toBe(false);
    expect((await meets(mended.state, fault.means)).met).toBe(true);
  });

  it('an experiment within its cap names the change that mends it', async () => {
    const record = await recordOf(fault);
    const journal = journalOfRun(record, runsOf(record).at(-1)!)!;
    const { means, line: title, change, triedModel: model } = fault;
    const { sentence, calls } = await runExperiment(journal, fault.create(), {
      expectation: { ...means, title },
      ...(model === undefined ? {} : { variants: [{ name: change, edit: { model } }] }),
    });
    expect(sentence).toBe(`With ${change} ${title}: 5 of 5. As it was: 0 of 5.`);
    expect(calls).toBeLessThanOrEqual(mostCalls);
  });
});
