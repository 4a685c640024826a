import { assertConflict, assertErased, assertSame, assertTrue, storedIn } from './assert-same.ts';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { nextRunEvents, sampleEvents } from './sample-session.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { Law } from './suite-context.ts';

/** The laws of reads and writes without failures. */
export const contractLaws: readonly Law[] = [
  {
    name: 'a saved session loads unchanged in every instance',
    async run({ under: { store }, reopen, sample }) {
      for (const turns of [0, 1, 3]) {
        const { record, runs } = await sample(`s${turns}`, turns);
        const version = await store.save(record, { expectedVersion: 0, newRuns: runs });
        const saved = { ...record, version };
        assertSame(await storedIn(store, record.id), saved, 'The saved session');
        assertSame(await storedIn(reopen(), record.id), saved, 'The session in another instance');
        if (store.runs) assertSame(await store.runs(record.id), runs, 'The earlier runs');
        const again = await reopen();
        const next = await again.save({ ...saved, title: 'Again' }, { expectedVersion: version });
        assertSame(
          await storedIn(store, record.id),
          { ...saved, title: 'Again', version: next },
          'The session saved after a load',
        );
      }
      assertSame(await storedIn(store, 'nobody'), null, 'An absent session');
    },
  },
  {
    name: 'a write based on another version is rejected and changes nothing',
    async run({ under: { store }, reopen, sample }) {
      const { record } = await sample('a', 1);
      await assertConflict(
        () => store.save(record, { expectedVersion: 3 }),
        'A save of an absent session with a version',
      );
      const first = await store.save(record, { expectedVersion: 0 });
      await assertConflict(() => store.save(record, { expectedVersion: 0 }), 'A second first save');
      const second = await reopen().save({ ...record, title: 'Two' }, { expectedVersion: first });
      assertTrue(second > first, `The version fell from ${first} to ${second}.`);
      const stale = { ...record, title: 'Stale' };
      await assertConflict(() => store.save(stale, { expectedVersion: first }), 'A stale save');
      await assertConflict(() => store.remove('a', { expectedVersion: first }), 'A stale removal');
      assertSame(
        await storedIn(store, 'a'),
        { ...record, title: 'Two', version: second },
        'The stored session',
      );
      await store.remove('a', { expectedVersion: second });
      assertSame(await storedIn(reopen(), 'a'), null, 'A session that was removed');
      await store.remove('a');
    },
  },
  {
    name: 'every earlier run is listed, also a run whose end is still in the tail',
    needs: ['runs'],
    async run({ under: { store }, reopen, sample, env }) {
      const { record, runs } = await sample('a', 2);
      const version = await store.save(record, { expectedVersion: 0, newRuns: runs });
      const { id: journalId } = record.journal;
      const present = record.state.execution;
      const events = nextRunEvents(record.state, env);
      const append = { expectedVersion: version, journalId, events };
      await store.append('a', append);
      assertSame(await store.runs?.('a'), [...runs, present], 'The runs after an append');
      const read = await storedIn(reopen(), 'a');
      if (read === null) return;
      const live = liveRecord(read);
      const journal = { id: 'next', records: 0, tail: [] };
      const { state, replacedRuns: newRuns } = live;
      await store.save({ ...read, state, journal }, { expectedVersion: read.version, newRuns });
      assertSame(await reopen().runs?.('a'), [...runs, present], 'The runs after the tail was folded');
    },
  },
  {
    name: 'an append adds events after the snapshot by their number, or a head without events',
    async run({ under: { store }, reopen, sample, env }) {
      const { record } = await sample('a', 2);
      const { append } = store;
      const journalId = record.journal.id;
      const events = sampleEvents(record.state, ['one', 'two', 'three'], env);
      const [head, ...tail] = events;
      if (head === undefined) throw new Error('There are no events to append.');
      const entry = { expectedVersion: 0, journalId, events: [head] };
      await assertConflict(() => append('a', entry), 'An append to an absent session');
      const saved = await store.save(record, { expectedVersion: 0 });
      const first = await append('a', { ...entry, expectedVersion: saved });
      await assertConflict(
        () => append('a', { ...entry, expectedVersion: saved }),
        'An append behind another one',
      );
      await assertConflict(
        () => append('a', { ...entry, expectedVersion: first, journalId: 'another' }),
        'Another journal',
      );
      const { version: _version, ...titled } = { ...record, title: 'Titled', draft: '' };
      const other = reopen();
      const second = await other.append('a', {
        ...entry,
        expectedVersion: first,
        events: tail,
        head: titled,
      });
      const third = await other.append('a', {
        ...entry,
        expectedVersion: second,
        events: [],
        head: { ...titled, draft: 'typed' },
      });
      const journal = { id: journalId, records: 2, tail: events };
      const stored = { ...record, title: 'Titled', draft: 'typed', version: third, journal };
      const withTail = await store.load('a');
      assertSame(loadedSession(withTail), stored, 'The session with its tail');
      const starts = withTail.kind === 'there' ? withTail.recordStarts : undefined;
      if (starts !== undefined) assertSame([...starts], [0, 1], 'The places where its records begin');
      const folded = await store.save(stored, { expectedVersion: third });
      assertSame(
        await storedIn(reopen(), 'a'),
        { ...stored, version: folded },
        'The session after its tail was folded',
      );
      const last = await append('a', { ...entry, expectedVersion: folded });
      const longer = { ...journal, records: 3, tail: [...events, head] };
      assertSame(
        await storedIn(reopen(), 'a'),
        { ...stored, version: last, journal: longer },
        'A record after a save',
      );
      const after = await reopen().load('a');
      const later = after.kind === 'there' ? after.recordStarts : undefined;
      if (later !== undefined)
        assertSame([...later], [events.length], 'The place where the last record begins');
    },
  },
  {
    name: 'listeners are notified of changes',
    needs: ['subscribe'],
    async run({ under: { store }, sample }) {
      const { record } = await sample('a', 1);
      const notified: (string | null)[] = [];
      const end = store.subscribe?.((id) => notified.push(id));
      await store.save(record, { expectedVersion: 0 });
      assertTrue(notified.includes('a') || notified.includes(null), 'No listener was notified of a save.');
      end?.();
      notified.length = 0;
      await store.remove('a');
      assertSame(notified, [], 'Notifications of a listener that had unsubscribed');
    },
  },
  {
    name: 'a removal and an erasing save leave no text behind',
    needs: ['raw'],
    async run({ under: { store, raw }, sample, env }) {
      const { record, runs } = await sample('secret-word', 2);
      if (raw === undefined) return;
      const version = await store.save(record, { expectedVersion: 0, newRuns: runs });
      const events = sampleEvents(record.state, ['secret-word in the tail'], env);
      const appended = await store.append(record.id, {
        expectedVersion: version,
        journalId: record.journal.id,
        events,
      });
      const { record: blank } = await sample('blank', 0);
      const erased = { ...blank, id: record.id, title: '', queue: [], draft: '' };
      await store.save(erased, { expectedVersion: appended, isErasing: true });
      for (const key of await raw.keys()) {
        const text = (await raw.get(key)) ?? '';
        assertTrue(!text.includes('Question'), `${key} still holds what was erased: ${text.slice(0, 200)}`);
      }
      assertSame((await store.runs?.(record.id)) ?? [], [], 'The runs of an erased session');
      await store.remove(record.id);
      await assertErased(raw, [record.id], 'The texts after a removal');
    },
  },
];
