import assert from 'node:assert/strict';
import { isAgentError } from '@vitrine/core';
import { blankSession } from '@vitrine/testing';
import type { SessionAddress, SessionHost } from '../host/session-host.ts';
import { anna, answerAll, command, done, type HostLaw, pendingIds, until } from './host-law.ts';

const session = (sessionId: string, owner = 'anna'): SessionAddress => ({ ...anna, owner, sessionId });

/** A message of so many characters. */
const long = (id: string, length: number) => ({ ...command(id), message: { text: 'x'.repeat(length) } });

/** Gives a command. @returns the code of its refusal; null for one that was kept */
async function refusal(
  host: SessionHost,
  address: SessionAddress,
  given = command('a'),
): Promise<string | null> {
  try {
    await host.submit(address, given, address.owner);
    return null;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return thrown.code;
  }
}

const waitLong = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60_000).unref());

export const ownerLaws: readonly HostLaw[] = [
  {
    name: 'only a message begins a session: another command to one that is not there is refused and leaves no row',
    async keep({ host }) {
      for (const type of ['stop', 'rename', 'reset', 'retry', 'fork', 'set-draft', 'answer', 'cancel-queued'])
        assert.equal(await refusal(host, anna, { id: type, type }), 'session-not-found', type);
      assert.deepEqual(await pendingIds(host), []);
      assert.equal(await host.answerOf(anna, 'stop'), null);
      assert.equal(await host.isAwake(anna), false);
      // A waiting message is a session already, and so is a stored one.
      await host.submit(anna, command('a'), 'anna');
      assert.equal(await refusal(host, anna, { id: 'stop', type: 'stop' }), null);
      await host.sessions('anna').save(blankSession('s2'), { expectedVersion: 0 });
      assert.equal(await refusal(host, session('s2'), { id: 'name', type: 'rename' }), null);
    },
  },
  {
    name: 'an owner begins as many sessions as the limit lets in, also at once, and a removed one makes room',
    async keep({ host }) {
      await host.start(waitLong, { sessions: 3, bytes: 1e9 });
      const ids = Array.from({ length: 10 }, (_, at) => `s${at}`);
      const refused = await Promise.all(ids.map((id) => refusal(host, session(id))));
      assert.equal(refused.filter((code) => code === null).length, 3);
      assert.equal(refused.filter((code) => code === 'session-quota-exceeded').length, 7);
      const begun = ids.filter((_, at) => refused[at] === null);
      assert.equal(await refusal(host, session(begun[0] ?? ''), command('b')), null);
      assert.equal(await refusal(host, session('s1', 'ben')), null);
      await host.sessions('anna').remove(begun[0] ?? '');
      assert.equal(await refusal(host, session('again')), null);
      assert.equal(await refusal(host, session('more')), 'session-quota-exceeded');
    },
  },
  {
    name: 'what waits counts for the bytes of its owner, who stops and answers all the same, and removing gives them back',
    async keep({ host }) {
      await host.start(waitLong, { sessions: 100, bytes: 200_000 });
      const fill = async (): Promise<number> => {
        for (let count = 0; ; count++)
          if ((await refusal(host, session(`s${count}`), long('a', 50_000))) !== null) return count;
      };
      assert.equal(await fill(), 3);
      assert.equal(await refusal(host, session('s0'), { id: 'stop', type: 'stop' }), null);
      assert.equal(await refusal(host, session('s0'), { ...long('answer', 100_000), type: 'answer' }), null);
      assert.equal(
        await refusal(host, session('s0'), { id: 'name', type: 'rename' }),
        'session-quota-exceeded',
      );
      assert.equal(await refusal(host, session('s0', 'ben'), long('a', 50_000)), null);
      for (const id of ['s0', 's1', 's2']) await host.sessions('anna').remove(id);
      assert.equal(await fill(), 3);
    },
  },
  {
    name: 'a command that is answered gives its bytes back, and keeps its answer',
    async keep({ host }) {
      await host.start((address, { epoch }) => answerAll(host, address, epoch), {
        sessions: 100,
        bytes: 200_000,
      });
      for (let at = 0; at < 20; at++) {
        assert.equal(await refusal(host, anna, long(`c${at}`, 50_000)), null, `command ${at}`);
        await until(async () => (await host.answerOf(anna, `c${at}`)) !== 'waiting', 'it was answered');
      }
      assert.deepEqual(await host.answerOf(anna, 'c0'), done);
      assert.equal(await refusal(host, anna, long('c0', 50_000)), null);
      assert.deepEqual(await host.answerOf(anna, 'c0'), done);
    },
  },
  {
    name: 'a run stores no session beyond the limit of its owner, so that forks do not pass it',
    async keep({ host }) {
      const codes: string[] = [];
      await host.start(
        async (address, { sessions, epoch }) => {
          for (let at = 0; at < 4; at++)
            try {
              await sessions.save(blankSession(`f${at}`), { expectedVersion: 0 });
            } catch (thrown) {
              codes.push(isAgentError(thrown) ? thrown.code : String(thrown));
            }
          await answerAll(host, address, epoch);
        },
        { sessions: 2, bytes: 1e9 },
      );
      await host.submit(anna, command('a'), 'anna');
      await until(async () => (await host.answerOf(anna, 'a')) !== 'waiting', 'it was answered');
      assert.deepEqual(codes, ['session-quota-exceeded', 'session-quota-exceeded']);
      assert.equal((await host.sessions('anna').list()).sessions.length, 2);
    },
  },
  {
    name: 'a check of the storage changes nothing that an owner sees, however often it is made',
    async keep({ host }) {
      for (let at = 0; at < 3; at++) await host.check();
      assert.deepEqual((await host.sessions('anna').list()).sessions, []);
      assert.deepEqual((await host.sessions('').list()).sessions, []);
    },
  },
];
