import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import { assertSame, assertTrue, outcomeOf, storedIn, withoutStarts } from './assert-same.ts';
import { randomChange } from './random-change.ts';
import { sampleEvents } from './sample-session.ts';
import type { SessionLoad } from '@vitrine/core/internal/session/store/session-store';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { Law } from './suite-context.ts';

/** The laws of several instances over one storage. */
export const interleavingLaws: readonly Law[] = [
  {
    name: 'a load beside an append that changes the head reads the session before or after it',
    async run({ under: { store }, reopen, sample, env }) {
      const { record } = await sample('a', 2);
      const other = reopen();
      const { version: _version, ...head } = record;
      const titleOf = (records: number): string => `Title ${records}`;
      let expectedVersion = await store.save({ ...record, title: titleOf(0) }, { expectedVersion: 0 });
      for (let records = 0; records < 12; records++) {
        const appending = store.append('a', {
          expectedVersion,
          journalId: record.journal.id,
          events: sampleEvents(record.state, [`event ${records}`], env),
          head: { ...head, title: titleOf(records + 1) },
        });
        const loads = await Promise.all([store.load('a'), other.load('a'), other.load('a')]);
        expectedVersion = await appending;
        for (const load of loads) {
          const { journal, title } = loadedSession(load) ?? record;
          assertSame(title, titleOf(journal.records), 'The title that was stored with the last record');
          assertTrue(journal.records >= records, `${journal.records} records were read after ${records}.`);
        }
      }
    },
  },
  {
    name: 'random changes through two instances give the same results as a store in memory',
    needs: ['runs'],
    async run({ under: { store }, reopen, random, env, options, sample }) {
      const samples = [await sample('x', 1), await sample('y', 2), await sample('z', 4)];
      const model = memorySessions();
      const instances = [store, reopen()];
      const ids = ['a', 'b', 'c'];
      for (let at = 0; at < options.changes; at++) {
        const id = random.pick(ids);
        if (random.chance(0.05)) instances[random.below(2)] = reopen();
        const stored = await storedIn(model, id);
        const change = randomChange({ random, env, samples }, id, stored);
        const expected = await outcomeOf(() => change.apply(model));
        const what = `Change ${at}, ${change.what}`;
        assertSame(await outcomeOf(() => change.apply(random.pick(instances))), expected, what);
        // Versions restart when a session is created again, so a writer of the former one has to load first.
        if ((await model.load(id)).kind === 'absent')
          for (const instance of instances) await instance.load(id);
        const reader = random.pick(instances);
        assertSame(
          timeless(await reader.load(id)),
          timeless(await model.load(id)),
          `${what}: the stored session afterwards`,
        );
        if (random.chance(0.3))
          assertSame(await reader.runs?.(id), await model.runs(id), `${what}: the runs afterwards`);
        if (random.chance(0.1))
          assertSame(await reader.list(), await model.list(), `${what}: the list afterwards`);
      }
    },
  },
  {
    name: 'one of several simultaneous writes succeeds, and the others get a conflict',
    async run({ under: { store }, reopen, sample }) {
      const { record } = await sample('a', 1);
      const stores = [store, reopen(), store, reopen()];
      for (let version = 0, round = 0; round < 5; round++) {
        const outcomes = await Promise.all(
          stores.map((one, at) =>
            outcomeOf(() => one.save({ ...record, title: `${at}` }, { expectedVersion: version })),
          ),
        );
        const winners = outcomes.flatMap((outcome, at) => ('value' in outcome ? [at] : []));
        assertSame(winners.length, 1, `Writers that won of ${stores.length}`);
        const lost = outcomes.filter((outcome) => 'code' in outcome);
        assertSame(
          lost,
          lost.map(() => ({ code: 'session-conflict' })),
          'The errors of the other writers',
        );
        const saved = await storedIn(reopen(), 'a');
        assertSame(saved?.title, `${winners[0]}`, 'The stored session');
        version = saved?.version ?? 0;
      }
    },
  },
  {
    name: 'an instance does not rely on its own writes after others wrote, removed or cleared',
    async run({ under: { store, raw }, reopen, sample }) {
      const { record } = await sample('a', 30);
      const { record: foreign } = await sample('b', 1);
      const first = await store.save(record, { expectedVersion: 0 });
      const second = await reopen().save({ ...foreign, id: 'a' }, { expectedVersion: first });
      await store.load('a');
      const third = await store.save(record, { expectedVersion: second });
      assertSame(
        await storedIn(reopen(), 'a'),
        { ...record, version: third },
        'The session after a stale restore',
      );
      await reopen().remove('a');
      const stale = await outcomeOf(() => store.save(record, { expectedVersion: third }));
      assertSame(stale, { code: 'session-conflict' }, 'A save of a session removed elsewhere');
      const fourth = await store.save(record, { expectedVersion: 0 });
      assertSame(await storedIn(reopen(), 'a'), { ...record, version: fourth }, 'The session written again');
      if (raw === undefined) return;
      for (const key of await raw.keys()) await raw.set(key, null);
      const lost = await outcomeOf(() => store.save(record, { expectedVersion: fourth }));
      assertSame(lost, { code: 'session-conflict' }, 'A save of a cleared session');
      const fifth = await store.save(record, { expectedVersion: 0 });
      assertSame(
        await storedIn(reopen(), 'a'),
        { ...record, version: fifth },
        'The session written after a clear',
      );
    },
  },
];

/** A load result without its time: two stores remove a session at different moments. */
function timeless(found: SessionLoad): unknown {
  return found.kind === 'absent' ? { ...found, removedAt: found.removedAt !== null } : withoutStarts(found);
}
