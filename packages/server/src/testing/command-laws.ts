import assert from 'node:assert/strict';
import { isAgentError } from '@vitrine/core';
import { anna, answerAll, command, done, type HostLaw, pendingIds, until } from './host-law.ts';

/** Laws of commands and answers: 7, 8, 9, 15 and 23. */
export const commandLaws: readonly HostLaw[] = [
  {
    name: 'commands wait in the order in which they were kept, with the principal who gave each',
    async keep({ host }) {
      for (const id of ['c', 'a', 'b']) await host.submit(anna, command(id), `by ${id}`);
      const found = await host.pending(anna);
      assert.deepEqual(
        found.map((entry) => [entry.command.id, entry.by]),
        [
          ['c', 'by c'],
          ['a', 'by a'],
          ['b', 'by b'],
        ],
      );
      assert.deepEqual(found[0]?.command, command('c'));
    },
  },
  {
    name: 'a command that is given again is kept once, in its first place, and wakes nobody',
    async keep({ host }) {
      let runs = 0;
      await host.submit(anna, command('a'), 'anna');
      await host.submit(anna, command('b'), 'anna');
      await host.submit(anna, { ...command('a'), message: { text: 'other' } }, 'ben');
      assert.deepEqual(await pendingIds(host), ['a', 'b']);
      assert.equal((await host.pending(anna))[0]?.by, 'anna');
      await host.start(async (_address, { epoch }) => {
        runs++;
        await answerAll(host, anna, epoch);
      });
      await until(async () => (await pendingIds(host)).length === 0, 'both commands were answered');
      await until(() => runs > 0, 'the session ran');
      const before = runs;
      await host.submit(anna, command('a'), 'anna');
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.equal(runs, before);
    },
  },
  {
    name: 'a command that was kept before the host started is in the next process, which runs its session',
    async keep({ host, restart }) {
      await host.submit(anna, command('a'), 'anna');
      const next = await restart({ graceMs: 0 });
      const seen: string[] = [];
      await next.start(async (address, { epoch }) => {
        seen.push(...(await pendingIds(next, address)));
        await next.answer(address, 'a', done, epoch);
      });
      await until(() => seen.includes('a'), 'the session ran');
    },
  },
  {
    name: 'the first answer to a command stays, and an answered command waits no more',
    async keep({ host, restart }) {
      await host.submit(anna, command('a'), 'anna');
      assert.equal(await host.answerOf(anna, 'a'), 'waiting');
      assert.equal(await host.answerOf(anna, 'b'), null);
      await host.answer(anna, 'a', done, 1);
      await host.answer(anna, 'a', { turn: null, error: failure }, 1);
      assert.deepEqual(await host.answerOf(anna, 'a'), done);
      assert.deepEqual(await pendingIds(host), []);
      assert.deepEqual(await (await restart({ graceMs: 0 })).answerOf(anna, 'a'), done);
    },
  },
  {
    name: 'an answer of an older epoch is refused and changes nothing',
    async keep({ host }) {
      const epochs: number[] = [];
      await host.start(async (address, { epoch, sessions }) => {
        await sessions.load(address.sessionId);
        epochs.push(epoch);
      });
      await host.submit(anna, command('a'), 'anna');
      await until(() => epochs.length > 0, 'the session ran');
      await host.wakeAt(anna, 0);
      await until(() => epochs.length > 1, 'the session ran again');
      const thrown: unknown = await host
        .answer(anna, 'a', done, epochs[0] ?? 0)
        .catch((error: unknown) => error);
      assert(isAgentError(thrown, 'session-conflict'), String(thrown));
      assert.equal(await host.answerOf(anna, 'a'), 'waiting');
    },
  },
  {
    name: 'commands, answers and sessions of one owner are unknown to another owner with the same ids',
    async keep({ host }) {
      const ben = { ...anna, owner: 'ben' };
      await host.submit(anna, command('a'), 'anna');
      assert.deepEqual(await pendingIds(host, ben), []);
      assert.equal(await host.answerOf(ben, 'a'), null);
      await host.submit(ben, command('a'), 'ben');
      await host.answer(ben, 'a', done, 1);
      assert.equal(await host.answerOf(anna, 'a'), 'waiting');
      await host.sessions('anna').takeEpoch('s1');
      const { kind, epoch } = (await host.sessions('ben').load('s1')) as { kind: string; epoch: number };
      assert.deepEqual([kind, epoch], ['absent', 0]);
    },
  },
  {
    name: 'removing a session removes its commands, answers, epochs and wake-ups',
    async keep({ host }) {
      const epochs: number[] = [];
      await host.submit(anna, command('a'), 'anna');
      await host.answer(anna, 'a', done, 1);
      await host.submit(anna, command('b'), 'anna');
      await host.sessions('anna').remove('s1');
      assert.deepEqual(await pendingIds(host), []);
      assert.equal(await host.answerOf(anna, 'a'), null);
      assert.deepEqual(await host.epochs(anna, 0), []);
      await host.start(async (_address, { epoch }) => void epochs.push(epoch));
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.deepEqual(epochs, []);
    },
  },
];

const failure = { name: 'Error', code: null, message: 'late', data: {}, cause: null } as never;
