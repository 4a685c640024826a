import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Env } from '../graph/env.ts';
import type { AgentState as State } from '../graph/types.ts';
import * as AgentState from './agent-state.ts';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask } from '@vitrine/testing/internal/fixtures';
import { apply, fold } from './apply.ts';
import type { AgentChange } from './events.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { agentOf, type Effects } from './random-agent.fixture.ts';
import { plan } from './random-plan.fixture.ts';
import { runAll, type JournalEntry } from './random-runs.fixture.ts';

const start = (env: Env): State => ask('Hello', env);
const changes = (entries: readonly JournalEntry[]): AgentChange[] =>
  entries.flatMap(({ event }) => (event.seq === null ? [] : [event]));
const json = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
const runs = { numRuns: Number(process.env['PROVE_RUNS'] ?? 50) };
const unhurried = { timeout: 1_800_000 };

describe('the journal of random runs', () => {
  it(
    'the events of random runs fold to the live state at every event, and a repeated event changes nothing',
    unhurried,
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (planned) => {
          const env = fixedEnv();
          const { base, entries } = await runAll(planned, agentOf(planned, new Map()), env, start(env));
          let state = base;
          for (const { event, state: live } of entries) {
            state = apply(state, event);
            expect(state).toEqual(live);
            expect(apply(state, event)).toBe(state);
          }
        }),
        runs,
      );
    },
  );

  it(
    'the journal of random runs survives JSON, and folds to the same state with merged deltas',
    unhurried,
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (planned) => {
          const env = fixedEnv();
          const { base, entries, journal } = await runAll(
            planned,
            agentOf(planned, new Map()),
            env,
            start(env),
          );
          const events = changes(entries);
          expect(fold(json(base), json(events))).toEqual(journal.state());
          expect(fold(base, mergeDeltas(events))).toEqual(journal.state());
          expect(AgentState.fromJSON(json(AgentState.toJSON(journal.state())))).toEqual(journal.state());
        }),
        runs,
      );
    },
  );

  it('equal environments give equal journals', unhurried, async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (planned) => {
        const [a, b] = [fixedEnv(), fixedEnv()];
        const first = await runAll(planned, agentOf(planned, new Map()), a, start(a));
        const second = await runAll(planned, agentOf(planned, new Map()), b, start(b));
        expect(changes(second.entries)).toEqual(changes(first.entries));
      }),
      runs,
    );
  });

  it(
    'a random run loses no commit made during user code, runs approved calls once, and ends once',
    unhurried,
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (planned) => {
          const env = fixedEnv();
          const effects: Effects = new Map();
          const { entries, journal, metadataChanges } = await runAll(
            planned,
            agentOf(planned, effects),
            env,
            start(env),
          );
          const { metadata } = journal.state().context;
          for (let at = 0; at < metadataChanges; at++) expect(metadata[`app:${at}`]).toBe(true);
          expect([...effects.values()].every((count) => count === 1)).toBe(true);
          const own = entries.filter(({ event }) => event.path.length === 0).map(({ event }) => event.type);
          const ends = own.filter((type) => type === 'execution-end');
          expect(ends).toHaveLength(1);
          const late = own.slice(own.indexOf('execution-end') + 1);
          expect(late.every((type) => type === 'metadata-change')).toBe(true);
          expect(['completed', 'stopped', 'failed']).toContain(AgentState.status(journal.state()));
          const ids = allCalls(journal.state()).map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
        }),
        runs,
      );
    },
  );

  it(
    'a random run can be saved at any prefix, loaded and resumed: `once` tools take effect at most once',
    unhurried,
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, fc.nat(), async (planned, place) => {
          const env = fixedEnv();
          const { entries } = await runAll(planned, agentOf(planned, new Map()), env, start(env));
          const stateChanges = entries.filter(({ event }) => event.seq !== null);
          const cut = stateChanges[place % stateChanges.length]!;
          const before = stateChanges.slice(0, (place % stateChanges.length) + 1).map(({ event }) => event);
          const loaded = AgentState.fromJSON(json(AgentState.toJSON(cut.state)));
          expect(loaded).toEqual(cut.state);
          if (AgentState.status(cut.state) !== 'in-progress') return;
          const effects: Effects = new Map();
          const again = { ...planned, abortAt: null };
          const resumed = await runAll(again, agentOf(again, effects), env, loaded);
          const started = new Set(
            before.flatMap((event) => (event.type === 'tool-start' ? [event.toolCallId] : [])),
          );
          for (const [id, count] of effects) expect([id, count + (started.has(id) ? 1 : 0)]).toEqual([id, 1]);
          expect(resumed.journal.state().execution?.executionId).toBe(cut.state.execution?.executionId);
          expect(['completed', 'stopped', 'failed']).toContain(AgentState.status(resumed.journal.state()));
        }),
        runs,
      );
    },
  );
});

function allCalls(state: State): { id: string }[] {
  return AgentState.steps(state).flatMap(({ toolExecutions }) =>
    toolExecutions.flatMap((entry) => [
      entry,
      ...(entry.childState === null ? [] : allCalls(entry.childState)),
    ]),
  );
}
