import type { SessionQuery, SessionSummary } from '@vitrine/core/internal/session/store/session-store';
import { assertSame, assertTrue, storedIn, outcomeOf } from './assert-same.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Law, SuiteContext } from './suite-context.ts';

export const listLaws: readonly Law[] = [
  {
    name: 'thousands of sessions are listed newest first, and the pages are complete together',
    async run({ under: { store }, options, sample, random }) {
      const { record } = await sample('some', 0);
      const expected: { readonly id: string; readonly updatedAt: number }[] = [];
      for (let at = 0; at < options.sessions; at++) {
        const id = `s${at}`;
        const updatedAt = random.below(options.sessions / 2);
        expected.push({ id, updatedAt });
        const agentName = at % 10 === 0 ? 'tenth' : 'sample';
        await store.save({ ...record, id, updatedAt, agentName }, { expectedVersion: 0 });
      }
      const ids = expected
        .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id);
      assertSame(idsOf((await store.list()).sessions), ids, 'The whole list');
      const limit = Math.ceil(options.sessions / 7);
      assertSame(await inParts({ store }, { limit }), ids, 'The list in parts');
      const tenth = await store.list({ agentName: 'tenth' });
      assertTrue(
        tenth.sessions.length === Math.ceil(options.sessions / 10),
        'A list by agent is not complete.',
      );
    },
  },
  {
    name: 'sessions are found by status, title and text, and deleted ones are hidden',
    async run({ under: { store }, sample }) {
      const { record } = await sample('needle', 1);
      const { record: other } = await sample('other', 1);
      await store.save({ ...record, title: 'Pins' }, { expectedVersion: 0 });
      await store.save({ ...other, title: 'Bales of HAY', status: 'suspended' }, { expectedVersion: 0 });
      await store.save({ ...other, id: 'gone', status: 'deleted' }, { expectedVersion: 0 });
      const findIds = async (query: SessionQuery): Promise<string[]> =>
        idsOf((await store.list(query)).sessions).sort();
      assertSame(await findIds({}), ['needle', 'other'], 'All sessions');
      assertSame(await findIds({ search: 'of NEEDLE' }), ['needle'], 'A search of texts');
      assertSame(await findIds({ search: 'hay' }), ['other'], 'A search of titles');
      assertSame(await findIds({ status: 'suspended' }), ['other'], 'Suspended sessions');
      assertSame(await findIds({ status: 'deleted' }), ['gone'], 'Deleted sessions');
    },
  },
  {
    name: 'any text without control characters is the id of a session of its own, with its own outbox',
    async run({ under: { store }, reopen, sample, random }) {
      const { record } = await sample('one', 1);
      const made = Array.from({ length: 20 }, () => madeOf(random));
      const ids = [...new Set([...strangeIds, ...made])].sort();
      for (const id of ids) {
        await store.save({ ...record, id, title: id }, { expectedVersion: 0 });
        await store.outbox.put(id, { id: 'c1', text: id });
      }
      for (const id of ids) {
        const name = `The session ${JSON.stringify(id)}`;
        assertSame((await storedIn(reopen(), id))?.title, id, name);
        assertSame(await store.outbox.take(id), [{ id: 'c1', text: id }], `The outbox of ${id}`);
        assertSame(idsOf((await store.list({ id })).sessions), [id], `${name} in a list`);
      }
      assertSame(idsOf((await reopen().list()).sessions).sort(), ids, 'The list');
      for (const [at, id] of ids.entries()) {
        await store.remove(id);
        assertSame(await store.outbox.take(id), [], `The outbox of the removed ${id}`);
        const left = idsOf((await store.list()).sessions).sort();
        assertSame(left, ids.slice(at + 1), `The list after the removal of ${id}`);
      }
      for (const id of ['', '.', '..', 'a\nb', '\0', '\ud800', 'a'.repeat(201)]) {
        const saved = await outcomeOf(() => store.save({ ...record, id }, { expectedVersion: 0 }));
        assertSame(saved, { code: 'id-invalid' }, `The answer to the id ${JSON.stringify(id)}`);
      }
    },
  },
  {
    name: 'one session is found by its id, a deleted one too, and a removed one not',
    async run({ under: { store }, sample }) {
      const { record } = await sample('one', 1);
      await store.save(record, { expectedVersion: 0 });
      await store.save({ ...record, id: 'two' }, { expectedVersion: 0 });
      await store.save({ ...record, id: 'gone', status: 'deleted' }, { expectedVersion: 0 });
      await store.save({ ...record, id: 'erased' }, { expectedVersion: 0 });
      await store.remove('erased');
      await store.outbox.put('unsaved', { id: 'c1' });
      const findIds = async (query: SessionQuery): Promise<string[]> =>
        idsOf((await store.list(query)).sessions);
      const [whole] = (await store.list({ agentName: record.agentName })).sessions.filter(
        ({ id }) => id === 'one',
      );
      assertSame((await store.list({ id: 'one' })).sessions, [whole], 'The summary of one session');
      assertSame(await findIds({ id: 'gone' }), ['gone'], 'A deleted session');
      for (const id of ['erased', 'unsaved', '-unsaved', 'nobody'])
        assertSame(await findIds({ id }), [], `No session has the id ${id}, and it`);
      assertSame(await findIds({ id: 'one', agentName: 'nobody' }), [], 'A session of another agent');
    },
  },
];

/** Ids of other libraries, and texts that mean something in keys, addresses, file names and SQL. */
const strangeIds = [
  'a',
  '-a',
  '--a',
  '-',
  '_',
  '%',
  '%61',
  '%2Da',
  'a%',
  'A',
  'a b',
  ' ',
  'a:b',
  'a:row.1',
  'a.b',
  '...',
  '-V1StGXR8_Z5jdHi6B_my',
  '-OaBcDeFgHiJkLmNoPqR',
  '../x',
  '/',
  'a/b',
  'a\\b',
  'a?b#c',
  'a&b=c',
  '*',
  "o'b",
  'ä',
  'a\u0308',
  '日本',
  '👩‍👩‍👧',
  'constructor',
  '__proto__',
  'null',
  'files',
  'a'.repeat(200),
  '😀'.repeat(200),
];

function madeOf(random: SeededRandom): string {
  const characters = ['-', '%', '.', '/', ':', '2', 'D', 'a', 'Z', ' ', 'é', '😀', "'", '~', '\u2028'];
  return `x${Array.from({ length: 1 + random.below(12) }, () => random.pick(characters)).join('')}`;
}

function idsOf(sessions: readonly SessionSummary[]): string[] {
  return sessions.map(({ id }) => id);
}

async function inParts(
  { store }: Pick<SuiteContext['under'], 'store'>,
  query: SessionQuery,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const part = await store.list({ ...query, ...(cursor === null ? {} : { cursor }) });
    ids.push(...idsOf(part.sessions));
    cursor = part.cursor;
  } while (cursor !== null);
  return ids;
}
