import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import type { SessionRecord, SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { assertSame, assertTrue, storedIn } from './assert-same.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Law } from './suite-context.ts';

/** The laws of commands that wait for the runner of a session. */
export const outboxLaws: readonly Law[] = [
  {
    name: 'commands stay in the outbox until they are dropped, whichever writer changes the session',
    async run(context) {
      const { under, reopen, sample, random } = context;
      const { record } = await sample('a', 1);
      const stores = [under.store, reopen(), reopen()];
      const waiting = new Map<string, string[]>([
        ['a', []],
        ['b', []],
      ]);
      let version = await under.store.save(record, { expectedVersion: 0 });
      for (let at = 0; at < 60; at++) {
        const id = random.pick(['a', 'b']);
        const ids = waiting.get(id) ?? [];
        const round = roundOf(at, random, ids);
        await Promise.all([
          ...round.put.map((command) =>
            random.pick(stores).outbox.put(id, { id: command, type: 'send', at }),
          ),
          ...(round.drop.length > 0 ? [random.pick(stores).outbox.drop(id, round.drop)] : []),
          writeOn(random.pick(stores), record, version).then((next) => (version = next)),
        ]);
        const left = [...ids, ...round.put].filter((command) => !round.drop.includes(command));
        const found = await random.pick(stores).outbox.take(id);
        assertSame(found.map((command) => command.id).sort(), left.sort(), `The outbox of ${id}`);
        assertSame(
          found.map((command) => command.type).filter((type) => type !== 'send'),
          [],
          'The content of the commands',
        );
        waiting.set(
          id,
          found.map((command) => command.id),
        );
      }
      const beside = await storedIn(reopen(), 'a');
      assertSame([beside?.title, beside?.version], [record.title, version], 'The session beside it');
      assertSame(
        (await reopen().list()).sessions.map(({ id }) => id),
        ['a'],
        'The list beside outboxes',
      );
      const { outbox } = under.store;
      await outbox.put('c', { id: 'twice', text: 'old' });
      await outbox.put('c', { id: 'twice', text: 'new' });
      assertSame(await outbox.take('c'), [{ id: 'twice', text: 'new' }], 'A command that was put twice');
      for (const id of ['a', 'b', 'c']) {
        await reopen().remove(id);
        assertSame(await under.store.outbox.take(id), [], 'The outbox of a session that was removed');
      }
      const late = await outbox.put('a', { id: 'late', text: 'secret' }).then(
        () => 'kept',
        (thrown: unknown) => (isAgentError(thrown, 'session-deleted') ? 'refused' : thrown),
      );
      assertSame([late, await outbox.take('a')], ['refused', []], 'A command for a session that was removed');
    },
  },
  {
    name: 'listeners are notified of a command by the id of its session',
    needs: ['subscribe'],
    async run({ under: { store }, reopen }) {
      const notified: (string | null)[] = [];
      const elsewhere: (string | null)[] = [];
      const ends = [
        store.subscribe?.((id) => notified.push(id)),
        reopen().subscribe?.((id) => elsewhere.push(id)),
      ];
      await store.outbox.put('a', { id: 'one' });
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const end of ends) end?.();
      assertTrue(
        notified.includes('a') || notified.includes(null),
        `The listeners were notified of ${JSON.stringify(notified)}.`,
      );
      // Other instances are notified where the store can do so.
      const others = elsewhere.filter((id) => id !== 'a' && id !== null);
      assertSame(others, [], 'Ids of other notifications in another instance');
    },
  },
];

/** One round: two commands are added, or some are dropped, so that none is added and dropped at once. */
function roundOf(
  at: number,
  random: SeededRandom,
  waiting: readonly string[],
): { readonly put: readonly string[]; readonly drop: readonly string[] } {
  const put = random.chance(0.7) ? [`${at}-one`, `${at}-two`] : [];
  return { put, drop: waiting.filter(() => random.chance(0.3)) };
}

async function writeOn(store: SessionStore, record: SessionRecord, version: number): Promise<number> {
  return store.save(record, { expectedVersion: version });
}
