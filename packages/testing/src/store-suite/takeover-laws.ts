import type { SessionLoad, SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { assertConflict, assertSame, assertTrue, outcomeOf, storedIn } from './assert-same.ts';
import { sampleEvents } from './sample-session.ts';
import type { Law, SuiteContext } from './suite-context.ts';

/** The laws of writers that take over a session from each other, and of their commands. */
export const takeoverLaws: readonly Law[] = [
  {
    name: 'every write of a writer that was taken over is rejected at any version and changes nothing',
    async run({ under: { store }, reopen, sample, env }) {
      const { record } = await sample('a', 1);
      const other = reopen();
      const first = await store.takeEpoch('a');
      assertSame(first, { epoch: 1, version: 0 }, 'The first epoch of a session that is not saved yet');
      assertSame(await other.load('a'), { kind: 'absent', removedAt: null, epoch: 1 }, 'That session');
      assertSame((await other.list()).sessions, [], 'The list with that session');
      const version = await store.save(record, { expectedVersion: 0, epoch: 1 });
      const second = await other.takeEpoch('a');
      assertSame(second, { epoch: 2, version }, 'The next epoch, which leaves the version as it is');
      const saved = { ...record, version, epoch: 2 };
      assertSame(await store.load('a'), { kind: 'there', session: saved }, 'The session afterwards');
      const journal = { journalId: record.journal.id };
      const events = sampleEvents(record.state, ['late'], env);
      for (const epoch of [0, 1]) {
        for (const expectedVersion of [version, version + 1, 0]) {
          const options = { expectedVersion, epoch, commands: ['stale'] };
          const what = `of epoch ${epoch} at version ${expectedVersion} while 2 and ${version} are stored`;
          for (const writer of [store, other, reopen()]) {
            const late = { ...record, title: 'Late' };
            await assertConflict(() => writer.save(late, options), `A save ${what}`);
            const entry = { ...options, ...journal, events };
            await assertConflict(() => writer.append('a', entry), `An append ${what}`);
          }
        }
      }
      assertSame(await reopen().load('a'), { kind: 'there', session: saved }, 'The session after them');
      // A writer that took or read the epoch elsewhere continues at the version that it knows.
      const options = { expectedVersion: version, epoch: 2 };
      const titled = await store.save({ ...record, title: 'Mine' }, options);
      const third = await store.takeEpoch('a');
      assertSame(third, { epoch: 3, version: titled }, 'An epoch behind an own write');
      const last = await store.save({ ...record, title: 'Ours' }, { expectedVersion: titled, epoch: 3 });
      assertSame(titlesOf(await reopen().load('a')), ['Ours', last, 3], 'The session stored afterwards');
    },
  },
  {
    name: 'a takeover that expects another version than the stored one is rejected and changes nothing',
    async run({ under: { store }, reopen, sample }) {
      const { record } = await sample('a', 1);
      const other = reopen();
      const early = () => other.takeEpoch('a', { expectedVersion: 1 });
      await assertConflict(early, 'A takeover of a session that is not saved yet');
      assertSame(
        await other.takeEpoch('a', { expectedVersion: 0 }),
        { epoch: 1, version: 0 },
        'The first epoch',
      );
      const version = await store.save(record, { expectedVersion: 0, epoch: 1 });
      const next = await store.save(record, { expectedVersion: version, epoch: 1 });
      for (const expectedVersion of [0, version, next + 1])
        await assertConflict(
          () => other.takeEpoch('a', { expectedVersion }),
          `A takeover of version ${expectedVersion} while ${next} is stored`,
        );
      assertSame(epochOf(await reopen().load('a')), 1, 'The epoch after them');
      const last = await store.save(record, { expectedVersion: next, epoch: 1 });
      assertSame(
        await other.takeEpoch('a', { expectedVersion: last }),
        { epoch: 2, version: last },
        'The epoch of the stored version',
      );
    },
  },
  {
    name: 'every takeover gets a higher epoch, also across removals',
    async run({ under: { store }, reopen, sample, random }) {
      const { record } = await sample('a', 1);
      const stores = [store, reopen()];
      const together = await Promise.all(
        [0, 1, 0, 1, 0].map(async (at) => (stores[at] as SessionStore).takeEpoch('a')),
      );
      const epochs = together.map(({ epoch }) => epoch).sort((a, b) => a - b);
      assertSame(epochs, [1, 2, 3, 4, 5], 'Epochs that were taken at the same time');
      let last = 5;
      for (let at = 0; at < 60; at++) {
        if (random.chance(0.1)) stores[1] = reopen();
        const one = random.pick(stores);
        const found = await one.load('a');
        const kind = random.below(4);
        if (kind === 0) {
          const { epoch } = await one.takeEpoch('a');
          assertTrue(epoch > last, `Epoch ${epoch} was taken after ${last}.`);
          last = epoch;
        } else if (kind === 1) await one.remove('a');
        else {
          const epoch = random.chance(0.5) ? last : Math.max(0, last - 1 - random.below(3));
          const options = { expectedVersion: versionOf(found), epoch };
          const outcome = await outcomeOf(() => one.save(record, options));
          const mayWrite = epoch === last || (epoch === 0 && isRemoved(found));
          assertSame('value' in outcome, mayWrite, `A save with epoch ${epoch} while ${last} is stored`);
        }
        assertSame(epochOf(await random.pick(stores).load('a')), last, `The epoch after step ${at}`);
      }
    },
  },
  {
    name: 'the ids of the last 200 taken commands are stored with the write they caused, or not at all',
    async run({ under: { store }, reopen, sample, env }) {
      const { record } = await sample('a', 1);
      const numbers = (from: number, count: number): string[] =>
        Array.from({ length: count }, (_, at) => `command-${from + at}`);
      let version = await store.save(record, { expectedVersion: 0, commands: numbers(0, 3) });
      assertSame(await takenIn(reopen(), 'a'), numbers(0, 3), 'Commands of a first save');
      await assertConflict(
        () => reopen().save(record, { expectedVersion: version + 1, commands: ['refused'] }),
        'A stale save',
      );
      assertSame(await takenIn(reopen(), 'a'), numbers(0, 3), 'Commands after a write that was refused');
      const other = reopen();
      const journalId = record.journal.id;
      const entry = { expectedVersion: version, journalId, commands: numbers(3, 2) };
      version = await other.append('a', { ...entry, events: sampleEvents(record.state, ['said'], env) });
      assertSame(await takenIn(reopen(), 'a'), numbers(0, 5), 'Commands of an append');
      const plain = { ...entry, expectedVersion: version, commands: [] };
      version = await other.append('a', { ...plain, events: sampleEvents(record.state, ['more'], env) });
      const epoch = (await other.takeEpoch('a')).epoch;
      const options = { expectedVersion: version, epoch };
      version = await store.save(record, { ...options, commands: [...numbers(4, 200), 'command-4'] });
      const taken = await takenIn(reopen(), 'a');
      assertSame([taken.length, new Set(taken).size], [200, 200], 'Commands that are remembered');
      assertSame(taken.slice(-3), numbers(201, 3), 'The last of them');
      await store.save({ ...record, taken: ['foreign'] }, { expectedVersion: version, epoch });
      assertSame(await takenIn(reopen(), 'a'), taken, 'Commands after a save with a changed list');
    },
  },
  {
    name: 'the id of the last write is stored with it, or not at all, and a takeover keeps it',
    async run({ under: { store }, reopen, sample, env }) {
      const { record } = await sample('a', 1);
      const storedWriteId = async (): Promise<unknown> => (await storedIn(reopen(), 'a'))?.writeId;
      const options = { expectedVersion: 0, writeId: 'first' };
      const expectedVersion = await store.save({ ...record, writeId: 'foreign' }, options);
      await assertConflict(() => reopen().save(record, { ...options, writeId: 'late' }), 'A late save');
      assertSame(await storedWriteId(), 'first', 'The id of a save');
      const at = { expectedVersion, writeId: 'second', journalId: record.journal.id };
      const version = await reopen().append('a', {
        ...at,
        events: sampleEvents(record.state, ['said'], env),
      });
      const { epoch } = await store.takeEpoch('a');
      assertSame(await storedWriteId(), 'second', 'The id of an append, after a takeover');
      await store.save(record, { expectedVersion: version, epoch });
      assertSame(await storedWriteId(), undefined, 'The id after a save without one');
    },
  },
  {
    name: 'a write that is cut short stores taken ids, its own id and the epoch with the session, or neither',
    needs: ['injectedErrors'],
    async run({ under: { injectedErrors }, reopen, sample, env }) {
      const { record } = await sample('a', 1);
      if (injectedErrors === undefined) return;
      const events = sampleEvents(record.state, ['said'], env);
      for (let at = 1; at < 40; at++) {
        await reopen().remove('a');
        const { epoch } = await reopen().takeEpoch('a');
        const version = await reopen().save(record, { expectedVersion: 0, epoch });
        injectedErrors.failAt(at);
        const writer = reopen();
        const entry = { expectedVersion: version, journalId: record.journal.id, events };
        const sent = { ...entry, epoch, commands: ['sent'], writeId: 'sent' };
        const isAppended = at % 2 === 0;
        await outcomeOf(() =>
          isAppended ? writer.append('a', sent) : writer.save({ ...record, title: 'New' }, sent),
        );
        await outcomeOf(() => writer.takeEpoch('a'));
        injectedErrors.failAt(null);
        const found = await storedIn(reopen(), 'a');
        const isWritten = isAppended ? found?.journal.records === 1 : found?.title === 'New';
        const ids = [found?.taken ?? [], found?.writeId ?? null];
        assertSame(ids, isWritten ? [['sent'], 'sent'] : [[], null], `Ids of a write cut short at ${at}`);
        assertTrue((found?.epoch ?? 0) >= epoch, `The epoch fell from ${epoch} to ${found?.epoch}.`);
      }
    },
  },
];

async function takenIn(store: SuiteContext['under']['store'], id: string): Promise<readonly string[]> {
  return (await storedIn(store, id))?.taken ?? [];
}

function titlesOf(found: SessionLoad): unknown {
  const { title, version, epoch = 0 } = loadedSession(found) ?? {};
  return [title, version, epoch];
}

function versionOf(found: SessionLoad): number {
  return loadedSession(found)?.version ?? 0;
}

function epochOf(found: SessionLoad): number {
  return found.kind === 'absent' ? found.epoch : (loadedSession(found)?.epoch ?? 0);
}

function isRemoved(found: SessionLoad): boolean {
  return found.kind === 'absent' && found.removedAt !== null;
}
