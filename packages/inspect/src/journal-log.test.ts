import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { ask } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { createJournalLog, type JournalLog, type RecordLimits } from './journal-log.ts';
import { eventsOf, type JournalRecord, stateAt } from './journal-record.ts';
import { scripts, type EventWithState, recordedRuns } from './recorded-runs.fixture.ts';

type Recorded = {
  readonly base: AgentState;
  readonly told: readonly EventWithState[];
  readonly record: JournalRecord;
};

async function recordRun(
  steps: readonly ScriptedStep[],
  kidSteps: readonly ScriptedStep[],
  limits: Partial<RecordLimits> = {},
): Promise<Recorded> {
  let log: JournalLog | null = null;
  const { journal, told } = await recordedRuns(steps, kidSteps, ({ id, base }) => {
    const made = (log = createJournalLog(id, base, limits));
    return made.add;
  });
  return { base: journal.base, told, record: log!.read() };
}

/** The states after the entries of a record, as the listener received them. */
function statesOf({ told, record }: Recorded): AgentState[] {
  let at = told.length - eventsOf(record).reduce((sum, { count }) => sum + count, 0) - 1;
  return eventsOf(record).map(({ count }) => told[(at += count)]!.state);
}

describe('the log of a journal', () => {
  it('a log gives the state after every event, for random runs', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scripts, scripts, async (steps, kidSteps) => {
        const run = await recordRun(steps, kidSteps);
        const { record, base } = run;
        const states = statesOf(run);
        expect(states.length).toBe(eventsOf(record).length);
        expect(stateAt(record, -1)).toBe(base);
        states.forEach((state, index) => expect(stateAt(record, index)).toEqual(state));
        expect(stateAt(record, states.length - 1)).toBe(record.state);
      }),
      { numRuns: 50 },
    );
  });

  it(
    'a log keeps what its limits allow, counts the dropped entries, and gives every state',
    { timeout: 30_000 },
    async () => {
      const limits = fc.record({
        maxEvents: fc.integer({ min: 8, max: 60 }),
        maxSteps: fc.integer({ min: 2, max: 9 }),
        maxBytes: fc.integer({ min: 2_000, max: 40_000 }),
      });
      await fc.assert(
        fc.asyncProperty(scripts, scripts, limits, async (steps, kidSteps, limited) => {
          const run = await recordRun(steps, kidSteps, limited);
          const { record, told } = run;
          const kept = eventsOf(record);
          const stepsIn = (events: readonly { event: AgentEvent }[]): number =>
            events.filter(({ event }) => event.type === 'step-start').length;
          expect(record.dropped.events + kept.reduce((sum, { count }) => sum + count, 0)).toBe(told.length);
          expect(record.dropped.steps + stepsIn(kept)).toBe(stepsIn(told));
          if (record.pages.length > 1) {
            expect(kept.length).toBeLessThanOrEqual(limited.maxEvents);
            expect(stepsIn(kept)).toBeLessThanOrEqual(limited.maxSteps);
            // Merged deltas have an additional counter.
            const bytes = kept.reduce((sum, { event }) => sum + JSON.stringify(event).length - 10, 0);
            expect(bytes).toBeLessThanOrEqual(limited.maxBytes);
          }
          statesOf(run).forEach((state, index) => expect(stateAt(record, index)).toEqual(state));
        }),
        { numRuns: 60 },
      );
    },
  );

  it('the estimated size of an event is at least that of its JSON, and at most 13 more for each value', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '語') });
    const leaf = fc.oneof(text, fc.boolean(), fc.constant(null), fc.integer());
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    }));
    const next: AgentEvent = { type: 'execution-pause', seq: 2, at: 0, path: [] };
    fc.assert(
      fc.property(fc.dictionary(text, value), (content) => {
        const event = { type: 'metadata-change', seq: 1, at: 0, path: [], content } as unknown as AgentEvent;
        const log = createJournalLog('j', ask(), { maxEvents: 1 });
        for (const added of [event, next]) log.add(added, ask());
        const estimated = log.read().dropped.bytes;
        let values = 0;
        const { length } = JSON.stringify(event, (_name, part: unknown) => (values++, part));
        expect(estimated).toBeGreaterThanOrEqual(length);
        expect(estimated).toBeLessThanOrEqual(length + 13 * values);
      }),
    );
  });

  it('a log merges consecutive deltas, and shares what no event touched', async () => {
    const { record, told } = await recordRun([{ text: 'abcdefgh', chunks: 8 }], [{ text: 'x' }]);
    const deltas = eventsOf(record).filter(({ event }) => event.type === 'text-delta');
    expect(deltas.map(({ event, count }) => [count, 'delta' in event && event.delta])).toEqual([
      [8, 'abcdefgh'],
      [8, 'abcdefgh'],
    ]);
    expect(told.filter(({ event }) => event.type === 'text-delta')).toHaveLength(16);
    const at = eventsOf(record).indexOf(deltas[1]!);
    expect(stateAt(record, at).plugins).toBe(stateAt(record, at - 1).plugins);
    expect(stateAt(record, at)).toBe(stateAt(record, at));
  });

  it('a log names the step and the tool of an event, and returns the same record until there is more', async () => {
    const { record } = await recordRun([{ toolCalls: [{ name: 'ok', input: {} }] }, { text: 'x' }], []);
    const ended = eventsOf(record).find(({ event }) => event.type === 'tool-end');
    expect([ended?.toolName, ended?.stepNumber]).toEqual(['ok', 1]);
    const last = eventsOf(record).findLast(({ event }) => event.type === 'step-end');
    expect([last?.toolName, last?.stepNumber]).toEqual([null, 1]);

    const base = ask();
    const log = createJournalLog('j', base);
    const empty = log.read();
    expect(log.read()).toBe(empty);
    const state = { ...base, seq: 1 };
    log.add({ type: 'execution-pause', seq: 1, at: 0, path: [] }, state);
    expect(log.read()).not.toBe(empty);
    expect([eventsOf(empty).length, eventsOf(log.read()).length, log.read().state]).toEqual([0, 1, state]);
  });
});
