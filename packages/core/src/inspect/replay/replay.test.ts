import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentOf, plan, runAll } from '../../run/random-runs.fixture.ts';
import { fixedEnv } from '../../testing/fixed-env.ts';
import { asked } from '../../testing/fixtures.ts';
import { journalDocument } from './journal-document.ts';
import { replay } from './replay.ts';

const runs = { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) };

describe('the replay of random runs', () => {
  it('ends in the recorded state, without a call of model or tools', { timeout: 1_800_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (anyPlan) => {
        const planned = { ...anyPlan, abortAt: process.env['NOABORT'] ? null : anyPlan.abortAt };
        const env = fixedEnv();
        const base = asked('Hello', env);
        const ran = await runAll(planned, agentOf(planned, new Map()), env, base);
        const journal = journalDocument(
          ran.journal.id,
          base,
          ran.told.map(({ event }) => event),
        );
        const effects = new Map<string, number>();
        const replayed = await Promise.race([
          replay(JSON.parse(JSON.stringify(journal)) as typeof journal, agentOf(planned, effects)),
          new Promise<never>((_r, reject) => setTimeout(() => reject(new Error('HANGS')), 20000)),
        ]);
        expect(replayed.state).toEqual(ran.journal.state());
        expect([...effects.keys()]).toEqual([]);
      }),
      { ...runs, endOnFailure: true },
    );
  });
});
