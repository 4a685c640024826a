import { assertConflict, assertErased, assertSame, assertTrue, outcomeOf, storedIn } from './assert-same.ts';
import { sampleEvents } from './sample-session.ts';
import type { Law } from './suite-context.ts';

/** The laws of removed sessions, and of sessions that a browser has evicted. */
export const removalLaws: readonly Law[] = [
  {
    name: 'a writer that had a removed session open cannot restore it, and a new session may use its id',
    async run({ under: { store }, reopen, sample, env }) {
      const { record } = await sample('a', 2);
      const { record: fresh } = await sample('b', 1);
      const open = reopen();
      const first = await store.save(record, { expectedVersion: 0 });
      await open.load('a');
      const { epoch } = await store.takeEpoch('a');
      const before = Date.now();
      await store.remove('a');
      const found = await open.load('a');
      const time = found.kind === 'absent' ? (found.removedAt ?? 0) : 0;
      assertSame({ ...found, removedAt: 0 }, { kind: 'absent', removedAt: 0, epoch }, 'A removed session');
      assertTrue(
        Math.abs(time - before) < 600_000,
        `The reported time of the removal is ${time}, earlier than ${before}.`,
      );
      const events = sampleEvents(record.state, ['late'], env);
      for (const writer of [open, reopen(), store]) {
        for (const late of [epoch, epoch - 1]) {
          const options = { expectedVersion: first, epoch: late };
          await assertConflict(() => writer.save(record, options), 'A save of it');
          const entry = { ...options, journalId: record.journal.id, events };
          await assertConflict(() => writer.append('a', entry), 'An append to it');
        }
      }
      assertSame((await reopen().list()).sessions, [], 'The list after a removal');
      assertSame((await reopen().list({ status: 'deleted' })).sessions, [], 'Deleted sessions in the list');
      assertSame((await store.runs?.('a')) ?? [], [], 'The runs of a removed session');
      assertSame((await store.raw?.('a')) ?? null, null, 'The texts of a removed session');
      await store.remove('a');
      const next = await reopen().save({ ...fresh, id: 'a' }, { expectedVersion: 0 });
      assertTrue(next > first, `A new session begins with version ${next}, one of the removed session.`);
      const session = { ...fresh, id: 'a', version: next, epoch };
      assertSame(await store.load('a'), { kind: 'there', session }, 'A new session under the id');
    },
  },
  {
    name: 'an evicted session is not reported as removed, and can be saved again',
    needs: ['raw'],
    async run({ under: { store, raw }, reopen, sample }) {
      const { record } = await sample('a', 2);
      if (raw === undefined) return;
      const version = await store.save(record, {
        expectedVersion: 0,
        epoch: (await store.takeEpoch('a')).epoch,
      });
      for (const key of await raw.keys()) await raw.set(key, null);
      const absent = { kind: 'absent', removedAt: null, epoch: 0 };
      assertSame(await store.load('a'), absent, 'An evicted session, for the instance that wrote it');
      assertSame(await reopen().load('a'), absent, 'An evicted session, for another instance');
      const stale = await outcomeOf(() => store.save(record, { expectedVersion: version, epoch: 1 }));
      assertSame(stale, { code: 'session-conflict' }, 'A save of an absent session with a version');
      const again = await store.save(record, { expectedVersion: 0, epoch: 1 });
      const session = { ...record, version: again, epoch: 1 };
      assertSame(
        await reopen().load('a'),
        { kind: 'there', session },
        'The session after it was saved again',
      );
    },
  },
  {
    name: 'a session can be removed from a full storage',
    needs: ['injectedErrors'],
    async run({ under: { injectedErrors, raw, store }, reopen, sample }) {
      const { record } = await sample('a', 3);
      if (injectedErrors === undefined) return;
      await store.save(record, { expectedVersion: 0 });
      await store.outbox.put('a', { id: 'one', text: 'waits' });
      injectedErrors.limit(0);
      await reopen().remove('a');
      injectedErrors.limit(null);
      assertSame(await storedIn(reopen(), 'a'), null, 'The removed session');
      if (raw) await assertErased(raw, ['a'], 'The texts after a removal from a full storage');
    },
  },
  {
    name: 'a removal that is cut short leaves the complete session or a removed one',
    needs: ['injectedErrors'],
    async run({ under: { injectedErrors, raw, store }, reopen, sample }) {
      const { record } = await sample('a', 2);
      if (injectedErrors === undefined) return;
      for (let at = 1; at < 60; at++) {
        const found = await reopen().load('a');
        const { epoch } = await store.takeEpoch('a');
        if (found.kind === 'absent') await reopen().save(record, { expectedVersion: 0, epoch });
        injectedErrors.failAt(at);
        await outcomeOf(() => reopen().remove('a'));
        injectedErrors.failAt(null);
        const left = await reopen().load('a');
        const isWhole = left.kind === 'there' || (left.kind === 'absent' && left.removedAt !== null);
        assertTrue(isWhole, `A removal cut short at write ${at} left ${JSON.stringify(left)}.`);
        if (left.kind === 'there')
          assertSame(
            { ...left.session, version: 0, epoch: 0 },
            { ...record, epoch: 0 },
            `Cut short at ${at}`,
          );
      }
      await reopen().remove('a');
      if (raw) await assertErased(raw, ['a'], 'The texts after removals that were cut short');
    },
  },
];
