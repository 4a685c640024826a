import { memorySessions } from '../../session/stores/memory/memory-sessions.ts';
import { assertSame, outcomeOf } from './assert-same.ts';
import { randomChange } from './random-change.ts';
import type { Law } from './suite-context.ts';

/** Several instances over one place. */
export const interleavingLaws: readonly Law[] = [
  {
    name: 'does under random changes through two instances what a store in memory does',
    needs: ['append', 'runs'],
    async run({ under: { store }, reopen, random, env, options, sample }) {
      const samples = [await sample('x', 1), await sample('y', 2), await sample('z', 4)];
      const model = memorySessions();
      const instances = [store, reopen()];
      const ids = ['a', 'b', 'c'];
      for (let at = 0; at < options.changes; at++) {
        const id = random.pick(ids);
        if (random.chance(0.05)) instances[random.below(2)] = reopen();
        const stored = await model.load(id);
        const change = randomChange({ random, env, samples }, id, stored);
        const expected = await outcomeOf(() => change.apply(model));
        const what = `Change ${at}, ${change.what}`;
        assertSame(await outcomeOf(() => change.apply(random.pick(instances))), expected, what);
        // Versions begin again with a session that is made anew: who wrote to the old one has to look first.
        if ((await model.load(id)) === null) for (const instance of instances) await instance.load(id);
        const reader = random.pick(instances);
        assertSame(await reader.load(id), await model.load(id), `${what}: what is stored then`);
        if (random.chance(0.3))
          assertSame(await reader.runs?.(id), await model.runs(id), `${what}: the runs then`);
        if (random.chance(0.1)) assertSame(await reader.list(), await model.list(), `${what}: the list then`);
      }
    },
  },
  {
    name: 'gives one of several writes at the same time the word, and the others a conflict',
    needs: [],
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
          'What the others heard',
        );
        const saved = await reopen().load('a');
        assertSame(saved?.title, `${winners[0]}`, 'What is stored');
        version = saved?.version ?? 0;
      }
    },
  },
  {
    name: 'believes nothing that it wrote to be there still, after others wrote, removed or cleared',
    needs: [],
    async run({ under: { store, raw }, reopen, sample }) {
      const { record } = await sample('a', 30);
      const { record: foreign } = await sample('b', 1);
      const first = await store.save(record, { expectedVersion: 0 });
      const second = await reopen().save({ ...foreign, id: 'a' }, { expectedVersion: first });
      await store.load('a');
      const third = await store.save(record, { expectedVersion: second });
      assertSame(await reopen().load('a'), { ...record, version: third }, 'What was put back over another’s');
      await reopen().remove('a');
      const stale = await outcomeOf(() => store.save(record, { expectedVersion: third }));
      assertSame(stale, { code: 'session-conflict' }, 'A save of what was removed elsewhere');
      const fourth = await store.save(record, { expectedVersion: 0 });
      assertSame(await reopen().load('a'), { ...record, version: fourth }, 'What was written again');
      if (raw === undefined) return;
      for (const key of await raw.keys()) await raw.set(key, null);
      const lost = await outcomeOf(() => store.save(record, { expectedVersion: fourth }));
      assertSame(lost, { code: 'session-conflict' }, 'A save of what was cleared');
      const fifth = await store.save(record, { expectedVersion: 0 });
      assertSame(
        await reopen().load('a'),
        { ...record, version: fifth },
        'What was written after all was cleared',
      );
    },
  },
];
