import { expect, it } from 'vitest';
import fc from 'fast-check';
import { eventsOf, recordAt } from '../journal-record.ts';
import { createJournalLog } from '../journal-log.ts';
import { recordedRuns, scripts } from '../recorded-runs.fixture.ts';
import { journalDocument } from '../replay/journal-document.ts';
import { agentOf } from '@vitrine/core/internal/run/random-agent.fixture';
import { plan, type Plan } from '@vitrine/core/internal/run/random-plan.fixture';
import { runAll } from '@vitrine/core/internal/run/random-runs.fixture';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { work } from '@vitrine/core/internal/kit/work';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { defineDetector } from './detector.ts';
import { detectors, diagnose, diagnoseInSlices, withDetectors } from './diagnose.ts';
import { createDiagnosis } from './diagnosis.ts';
import { findingsOf } from './seeded-faults.fixture.ts';

const runs = Number(process.env['PROVE_RUNS'] ?? 200);

/** Takes the faults out of a random plan: failing tools, rewriting hooks, empty answers, stops and equal calls. */
function heal(planned: Plan): Plan {
  const counts = new Map<string, number>();
  const inputs = [{}, { edited: true }, { edited: false }];
  const script = (steps: Plan['script']): Plan['script'] =>
    steps.map((step) => ({
      ...step,
      text: step.text?.trim() ? step.text : 'ok',
      ...(step.toolCalls === undefined
        ? {}
        : {
            toolCalls: step.toolCalls.flatMap((one) => {
              if (one.name === 'bad' || one.name === 'form') return [];
              const count = counts.get(one.name) ?? 0;
              counts.set(one.name, count + 1);
              // The tools take few arguments, and more than two equal calls are a finding.
              const input =
                one.name === 'delegate' ? { agent: 'kid', task: `Do ${count}.` } : inputs[count % 3];
              return input === undefined || count >= 6 ? [] : [{ ...one, input }];
            }),
          }),
    }));
  return {
    ...planned,
    // The last step of a script repeats, so it makes no calls.
    script: [...script(planned.script), { text: 'The end.' }],
    kidScript: [
      ...script(planned.kidScript)
        .slice(0, 2)
        .map(({ toolCalls = [], ...step }) => ({
          ...step,
          toolCalls: toolCalls.filter(({ name }) => name !== 'delegate'),
        })),
      { text: 'The end.' },
    ],
    hooks: planned.hooks.map((hook) => ({
      ...hook,
      act: hook.act === 'metadata' || hook.act === 'message' ? hook.act : 'nothing',
    })),
    answers: [{ approve: true, delay: 3, twice: false, edit: false, remember: false }],
    abortAt: null,
  };
}

/** A detector that tells each step and is new to every test, so that no reading is known yet. */
const counted = {
  severity: 'hint',
  reads: { 'step-start': [] },
  watch: () => () => ({ sentence: 'A step.', remedy: 'Nothing.' }),
} as const;

const faultsOf = (findings: ReturnType<typeof diagnose>) =>
  findings.filter(({ severity }) => severity === 'fault').map(({ code, sentence }) => ({ code, sentence }));

it('random healthy runs have no fault', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (planned) => {
      const env = fixedEnv();
      const { base, entries } = await runAll(
        heal(planned),
        agentOf(heal(planned), new Map()),
        env,
        ask('Hello', env),
      );
      expect(faultsOf(diagnose({ base, events: entries.map(({ event }) => event) }))).toEqual([]);
    }),
    { numRuns: runs },
  );
});

it('a live run has the findings that its record and its document have', async () => {
  await fc.assert(
    fc.asyncProperty(plan, fc.integer({ min: 1, max: 7 }), async (planned, every) => {
      const env = fixedEnv();
      const { base, entries } = await runAll(planned, agentOf(planned, new Map()), env, ask('Hello', env));
      const live = createDiagnosis(base, detectors);
      const log = createJournalLog('journal', base);
      for (const [index, { event, state }] of entries.entries()) {
        live.add(event, state);
        log.add(event, state);
        // A panel asks now and then, while the record grows.
        if (index % every === 0) diagnose(log.read());
      }
      const record = log.read();
      expect(diagnose(record)).toEqual(live.findings());
      expect(diagnose({ base, events: entries.map(({ event }) => event) })).toEqual(live.findings());
      // Signals are no part of a document.
      const changes = entries.filter(({ event }) => event.seq !== null).map(({ event }) => event);
      expect(
        diagnose(journalDocument('a', base, changes)).map(({ code, address }) => [code, address]),
      ).toEqual(diagnose({ base, events: changes }).map(({ code, address }) => [code, address]));
      const past = recordAt(record, Math.floor(eventsOf(record).length / 2));
      diagnose(past);
      expect(diagnose(record)).toEqual(live.findings());
    }),
    { numRuns: Math.min(runs, 60) },
  );
});

it('a record that grows is not read again', async () => {
  const { told, journal } = await recordedRuns(fc.sample(scripts, 1)[0]!, [{ text: 'ok' }]);
  let seen = 0;
  const counting = defineDetector({
    code: 'counting',
    severity: 'hint',
    reads: { 'step-start': [], 'step-end': [], 'inference-end': [] },
    watch: () => () => {
      seen++;
      return null;
    },
  });
  const own = { detectors: [counting] };
  const log = createJournalLog('journal', journal.base);
  let events = 0;
  for (const { event, state } of told) {
    log.add(event, state);
    diagnose(log.read(), own);
    if (['step-start', 'step-end', 'inference-end'].includes(event.type)) events++;
  }
  expect(seen).toBe(events);
});

it('each detector has a code of its own and says what it reads', () => {
  expect(new Set(detectors.map(({ code }) => code)).size).toBe(detectors.length);
  for (const { reads } of detectors) expect(Object.keys(reads)).not.toHaveLength(0);
});

it('a detector of an application is added, and one of the same code replaces ours', () => {
  const own = defineDetector({
    code: 'answer-cut',
    severity: 'hint',
    reads: { 'inference-end': ['response'] },
    watch: () => () => null,
  });
  const added = [own];
  expect(withDetectors(added)).toHaveLength(detectors.length);
  expect(withDetectors(added)).toContain(own);
  expect(withDetectors(added)).toBe(withDetectors(added));
  expect(own.area).toBe('application');
});

it('a detector that throws is told once and disturbs no other', async () => {
  const broken = defineDetector({
    code: 'broken',
    severity: 'fault',
    reads: { 'inference-end': ['response'], 'step-end': [] },
    watch: () => () => {
      throw new Error('Oh no.');
    },
  });
  const { told, journal } = await recordedRuns([{ text: 'Half', finishReason: 'length' }], [{ text: 'ok' }]);
  const found = diagnose(
    { base: journal.base, events: told.map(({ event }) => event) },
    { detectors: [broken] },
  );
  // The journal has two runs.
  expect(found.filter(({ code }) => code === 'broken').map(({ severity }) => severity)).toEqual([
    'hint',
    'hint',
  ]);
  expect(found[0]?.sentence).not.toContain('undefined');
  expect(found.filter(({ code }) => code === 'answer-cut')).toHaveLength(2);
});

it.each([
  ['code', { code: 'Not A Code' }],
  ['severity', { severity: 'fatal' }],
  ['reads', { reads: {} }],
  ['watch', { watch: null }],
])('a detector with a wrong %s is rejected', (field, wrong) => {
  const init = {
    code: 'a',
    severity: 'hint',
    reads: { 'step-end': [] },
    watch: () => () => null,
  };
  expect(() => defineDetector({ ...init, ...wrong } as never)).toThrow(
    expect.objectContaining({ code: 'agent-invalid', data: { field } }) as Error,
  );
});

it('the findings of one detector in one run are bounded', async () => {
  const found = await findingsOf({
    script: [
      ...Array.from({ length: 60 }, (_, step) => ({ toolCalls: [{ name: `none${step}`, input: {} }] })),
      { text: 'Done.' },
    ],
    init: { budget: { maxSteps: 100 } },
  });
  expect(found.filter(({ code }) => code === 'call-failed')).toHaveLength(20);
});

it.each([
  ['all messages', undefined],
  ['a window of messages', (state: AgentState) => messages(state).slice(-10)],
])('the work of a diagnosis grows with the steps of a run that sends %s', async (_what, compileMessages) => {
  const unitsOf = async (count: number): Promise<number> => {
    const calling = { toolCalls: [{ name: 'ok', input: {} }], usage: { inputTokens: 9, outputTokens: 9 } };
    const agent = scriptedAgent([...Array.from({ length: count }, () => calling), { text: 'The end' }], {
      tools: [fakeTool('ok', 1)],
      budget: { maxSteps: count + 1 },
      ...(compileMessages === undefined ? {} : { compileMessages }),
    });
    const journal = createJournal(ask());
    const events: AgentEvent[] = [];
    journal.subscribe((event) => void events.push(event));
    await runOnJournal({ agent, lease: journal.lease().lease, env: fixedEnv() });
    const before = work.units;
    diagnose({ base: journal.base, events });
    return work.units - before;
  };
  expect((await unitsOf(200)) / (await unitsOf(50))).toBeLessThan(6);
});

it('a diagnosis in slices pauses between them, can be aborted, and finds what one in a piece finds', async () => {
  await fc.assert(
    fc.asyncProperty(plan, fc.integer({ min: 1, max: 30 }), async (planned, msOfEvent) => {
      const env = fixedEnv();
      const { base, entries } = await runAll(planned, agentOf(planned, new Map()), env, ask('Hello', env));
      const log = createJournalLog('journal', base);
      for (const { event, state } of entries) log.add(event, state);
      const record = log.read();
      let [time, pauses, longest, since] = [0, 0, 0, 0];
      const slices = (signal: AbortSignal, pause: () => Promise<unknown>) => ({
        signal,
        now: () => (time += msOfEvent / 2),
        pause: () => {
          longest = Math.max(longest, time - since);
          since = time;
          pauses++;
          return pause();
        },
      });
      const own = { detectors: [defineDetector({ ...counted, code: 'counted' })] };
      const end = new AbortController();
      // The first reader is aborted in its first pause, while a second one reads on.
      const aborted = diagnoseInSlices(
        record,
        own,
        slices(end.signal, () => Promise.resolve(end.abort(new Error('Enough')))),
      ).catch((error: Error) => error.message);
      const found = diagnoseInSlices(
        record,
        own,
        slices(new AbortController().signal, () => Promise.resolve()),
      );
      expect(['Enough', await found]).toContainEqual(await aborted);
      expect(await found).toEqual(diagnose({ base, events: entries.map(({ event }) => event) }, own));
      expect(longest).toBeLessThanOrEqual(25 + 2 * msOfEvent);
      if (entries.length * msOfEvent > 200) expect(pauses).toBeGreaterThan(0);
    }),
    { numRuns: Math.min(runs, 40) },
  );
});
