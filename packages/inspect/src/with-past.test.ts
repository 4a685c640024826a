import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { apply } from '@vitrine/core/internal/run/apply';
import type { AgentChange, AgentEvent } from '@vitrine/core/internal/run/events';
import { mergeDeltas } from '@vitrine/core/internal/run/merge-deltas';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import { createJournalLog } from './journal-log.ts';
import { eventsOf, type JournalRecord, type RecordedPage } from './journal-record.ts';
import { recordOfRun, runsOf } from './runs-of.ts';
import { scripts, type EventWithState, recordedRuns } from './recorded-runs.fixture.ts';
import { withPast } from './with-past.ts';

const places = fc.record({
  /** Shares of all events: those folded in the store, those stored, and those before the recording. */
  folded: fc.double({ min: 0, max: 1, noNaN: true }),
  stored: fc.double({ min: 0, max: 1, noNaN: true }),
  begun: fc.double({ min: 0, max: 1, noNaN: true }),
  /** The moment at which the store was read. */
  read: fc.double({ min: 0, max: 1, noNaN: true }),
});

type Places = {
  readonly folded: number;
  readonly stored: number;
  readonly begun: number;
  readonly read: number;
};

/** Events without a number change nothing. */
const isChange = ({ event }: EventWithState): boolean => event.seq !== null;

/** A record that began in the middle of a run, received the stored part, and continued. */
function recordOf(
  told: readonly EventWithState[],
  id: string,
  base: AgentState,
  places: Places,
): JournalRecord {
  const at = (part: number, from = 0): number => from + Math.round(part * (told.length - from));
  const stateBefore = (index: number): AgentState => (index === 0 ? base : told[index - 1]!.state);
  const begun = at(places.begun);
  const read = at(places.read, begun);
  // A store holds nothing later than the moment of reading.
  const stored = Math.min(at(places.stored), read);
  const folded = Math.round(places.folded * stored);
  const events = mergeDeltas(
    told
      .slice(folded, stored)
      .filter(isChange)
      .map(({ event }) => event),
  );
  const state = stateBefore(begun);
  let log = createJournalLog(id, state, { missed: state.seq - base.seq });
  for (const { event, state: after } of told.slice(begun, read)) log.add(event, after);
  const journal = { id, base: stateBefore(folded), events: events as AgentChange[] };
  log = withPast(log, { runs: [], journal }, {});
  for (const { event, state: after } of told.slice(read)) log.add(event, after);
  return log.read();
}

describe('a record with the stored part of the time before it', () => {
  it('a record with a stored part has every event once, loses none, and ends in the state of the session', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, scripts, places, async (steps, kidSteps, where) => {
        const { journal, told } = await recordedRuns(steps, kidSteps);
        const record = recordOf(told, journal.id, journal.base, where);
        expect(record.state).toEqual(journal.state());
        expect(record.state.seq).toBe(journal.state().seq);
        // States are folded here: no event is missing within a page, and none comes twice.
        const toldAgents = new Map(told.map(({ event, state }) => [nameOf(event), ownPart(state, event)]));
        for (const [event, state] of record.pages.flatMap(foldedStates))
          if (event.seq !== null) expect(ownPart(state, event)).toBe(toldAgents.get(nameOf(event)));
        const ofRoot = eventsOf(record).flatMap(({ event, count }) =>
          event.seq !== null && event.path.length === 0 ? ['n' in event ? (event.n ?? 1) : count] : [],
        );
        const known = ofRoot.reduce((sum, count) => sum + count, 0);
        const last = runsOf(record).at(-1);
        expect(last?.executionId).toBe(journal.state().execution?.executionId);
        expect(last && recordOfRun(record, last).state).toEqual(journal.state());
        expect(known + record.missed).toBe(journal.state().seq - journal.base.seq);
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 20) },
    );
  });

  it('a record with a stored part continues to count the events dropped before the store was read', async () => {
    const { journal, told } = await recordedRuns(
      [{ text: 'a', toolCalls: [{ name: 'ok', input: {} }] }, { text: 'b' }],
      [],
    );
    const log = createJournalLog(journal.id, journal.base, { maxSteps: 1 });
    for (const { event, state } of told) log.add(event, state);
    const before = log.read();
    expect(before.dropped.steps).toBeGreaterThan(0);
    const stored = { id: journal.id, base: journal.base, events: [] };
    const after = withPast(log, { runs: [], journal: stored }, { maxSteps: 1 }).read();
    expect(after.dropped).toEqual(before.dropped);
    expect(eventsOf(after).length).toBe(eventsOf(before).length);
  });
});

/** The agent and number of an event. */
const nameOf = ({ path, seq }: AgentEvent): string => `${path.join(' ')} ${seq}`;

/** The event's agent after it, without subagents: merged deltas may precede changes of others. */
function ownPart(state: AgentState, { path }: AgentEvent): string {
  return JSON.stringify(stateAtPath(state, path), (key, value: unknown) =>
    key === 'childState' ? null : value,
  );
}

/** The events of a page with the states folded from its base. */
function foldedStates({ base, events }: RecordedPage): [AgentEvent, AgentState][] {
  let state = base;
  return events.map(({ event }) => [event, (state = apply(state, event))]);
}
