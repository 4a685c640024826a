import {
  assertErased,
  assertRejects,
  assertSame,
  assertTrue,
  outcomeOf,
  storedIn,
  withoutStarts,
} from './assert-same.ts';
import { sampleEvents } from './sample-session.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Law } from './suite-context.ts';

const foreignValues = ['{}', 'null', '5', '[]', '', 'some text', '{"id":"a","version":1}'];

/** The laws of texts that others have damaged. */
export const damageLaws: readonly Law[] = [
  {
    name: 'a damaged session loads unchanged or is reported as unreadable, and its text is not modified',
    needs: ['raw'],
    async run({ under: { store, raw }, reopen, sample, env, random, options }) {
      const { record, runs } = await sample('a', 2);
      if (raw === undefined) return;
      const version = await store.save(record, { expectedVersion: 0, newRuns: runs });
      const events = sampleEvents(record.state, ['behind it'], env);
      await store.append('a', { expectedVersion: version, journalId: record.journal.id, events });
      const whole = await storedIn(store, 'a');
      const keys = await raw.keys();
      for (let at = 0; at < options.mutations; at++) {
        const key = random.pick(keys);
        const text = (await raw.get(key)) ?? '';
        const damaged = mutateText(text, random);
        if (damaged === text) continue;
        await raw.set(key, damaged);
        const reader = reopen();
        const what = `${key} as ${JSON.stringify(damaged.slice(0, 100))}`;
        const outcome = await outcomeOf(async () => withoutStarts(await reader.load('a')));
        if ('value' in outcome) assertSame(outcome.value, { kind: 'there', session: whole }, what);
        else assertSame(outcome, { code: 'state-invalid' }, what);
        const read = (await outcomeOf(async () => reader.runs?.('a'))) as { code?: string };
        assertTrue(
          read.code === undefined || read.code === 'state-invalid',
          `${what}: runs say ${read.code}`,
        );
        const [listed] = (await reader.list()).sessions;
        if ('code' in outcome) assertSame(listed?.status, 'broken', `${what}: the list after the load`);
        assertSame(await raw.get(key), damaged, `${what}: the text after it was read`);
        await raw.set(key, text);
      }
    },
  },
  {
    name: 'a foreign value is listed as broken, and neither overwritten nor lost',
    needs: ['raw'],
    async run({ under: { store, raw }, reopen, sample }) {
      const { record } = await sample('a', 1);
      if (raw === undefined) return;
      for (const value of foreignValues) {
        await raw.set(raw.head('a'), value);
        const what = `A head of ${JSON.stringify(value)}`;
        const reader = reopen();
        const { sessions } = await reader.list();
        assertSame(
          sessions.map(({ id, status }) => [id, status]),
          [['a', 'broken']],
          `${what} in the list`,
        );
        await assertRejects(() => reader.load('a'), ['state-invalid'], `${what}, loaded`);
        await assertRejects(
          () => reader.save(record, { expectedVersion: 0 }),
          ['state-invalid'],
          `${what}, saved`,
        );
        assertSame(await raw.get(raw.head('a')), value, what);
        await reader.remove('a');
        await assertErased(raw, ['a'], `${what}, removed`);
      }
      assertSame(await storedIn(store, 'a'), null, 'The removed session');
    },
  },
];

function mutateText(text: string, { below, pick, chance }: SeededRandom): string {
  const at = below(text.length + 1);
  const other = pick(['0', 'a', '"', '{', ']', '\\', '\u0000', 'ü']);
  if (chance(0.1)) return text.slice(0, at);
  if (chance(0.1)) return pick(['', '{}', 'null', '[]']);
  if (chance(0.2)) return text.slice(0, at) + other + text.slice(at);
  if (chance(0.2)) return text.slice(0, at) + text.slice(at + 1);
  return text.slice(0, at) + other + text.slice(at + 1);
}
