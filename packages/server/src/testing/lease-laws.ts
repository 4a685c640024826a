import assert from 'node:assert/strict';
import { isAgentError } from '@vitrine/core';
import { blankSession } from '@vitrine/testing';
import type { Lease } from '../host/session-host.ts';
import { anna, answerAll, command, done, gate, type HostLaw, until } from './host-law.ts';

/** Laws of leases: 1, 2, 14, 18 and 21. */
export const leaseLaws: readonly HostLaw[] = [
  {
    name: 'a session has one run at a time, however often it is woken, and sessions do not wait for each other',
    async keep({ host }) {
      let most = 0;
      const going = new Map<string, number>();
      const [first, other] = [gate(), gate()];
      await host.start(async ({ sessionId }, { epoch }) => {
        going.set(sessionId, (going.get(sessionId) ?? 0) + 1);
        most = Math.max(most, going.get(sessionId) ?? 0);
        if (sessionId === 's2') other.open();
        else await first.opened;
        await answerAll(host, anna, epoch);
        going.set(sessionId, (going.get(sessionId) ?? 0) - 1);
      });
      for (let i = 0; i < 20; i++) await host.submit(anna, command(`c${i}`), 'anna');
      await host.submit({ ...anna, sessionId: 's2' }, command('a'), 'anna');
      await other.opened;
      first.open();
      await until(async () => (await host.pending(anna)).length === 0, 'all commands were answered');
      assert.equal(most, 1);
    },
  },
  {
    name: 'a run that resolves without work left is not called again, so a waiting session holds nothing',
    async keep({ host }) {
      let runs = 0;
      await host.start(async (address, { epoch }) => {
        runs++;
        await answerAll(host, address, epoch);
      });
      await host.submit(anna, command('a'), 'anna');
      await until(async () => (await host.answerOf(anna, 'a')) !== 'waiting', 'the command was answered');
      await new Promise((resolve) => setTimeout(resolve, 600));
      assert.equal(runs, 1);
    },
  },
  {
    name: 'a command that comes while its session runs is served by this run or by the next',
    async keep({ host }) {
      const [begun, goOn] = [gate(), gate()];
      let runs = 0;
      await host.start(async (address, { epoch }) => {
        const first = await host.pending(address);
        runs++;
        begun.open();
        await goOn.opened;
        for (const entry of first) await host.answer(address, entry.command.id, done, epoch);
      });
      await host.submit(anna, command('a'), 'anna');
      await begun.opened;
      await host.submit(anna, command('b'), 'anna');
      goOn.open();
      await until(async () => (await host.pending(anna)).length === 0, 'both commands were answered');
      assert.equal(runs, 2);
    },
  },
  {
    name: 'a run that rejects again and again does not hold up a new command of its session',
    async keep({ host }) {
      const begun: number[] = [];
      await host.start(async () => {
        begun.push(performance.now());
        throw new Error('Each run fails.');
      });
      await host.submit(anna, command('a'), 'anna');
      await until(() => begun.length === 3, 'the session ran three times');
      const at = performance.now();
      await host.submit(anna, command('b'), 'anna');
      await until(() => begun.length > 3, 'the session ran for the new command');
      const [first = 0, second = 0, third = 0, fourth = 0] = begun;
      assert(
        second - first > 900 && third - second > 1.5 * (second - first) - 500,
        'The pauses do not grow.',
      );
      assert(fourth - at < 1500, `The new command waited for ${fourth - at} ms.`);
    },
  },
  {
    name: 'a run that rejects is called again, with a higher epoch',
    async keep({ host }) {
      const epochs: number[] = [];
      await host.start(async (_address, { epoch }) => {
        epochs.push(epoch);
        if (epochs.length === 1) throw new Error('The first run fails.');
      });
      await host.submit(anna, command('a'), 'anna');
      await until(() => epochs.length > 1, 'the session ran again');
      assert((epochs[1] ?? 0) > (epochs[0] ?? 0));
    },
  },
  {
    name: 'the first conflict ends a lease, and every later write of it is refused and changes nothing',
    async keep({ host }) {
      const ended = gate();
      const codes: string[] = [];
      await host.start(async ({ owner, sessionId }, { sessions, signal }) => {
        if (signal.aborted || codes.length > 0) return;
        const record = blankSession(sessionId);
        const version = await sessions.save(record, { expectedVersion: 0 });
        await host.sessions(owner).save({ ...record, title: 'of another' }, { expectedVersion: version });
        for (const expectedVersion of [version, version + 1, version + 2])
          codes.push(
            await sessions.save({ ...record, title: 'of the lease' }, { expectedVersion }).then(
              () => 'written',
              (thrown: unknown) => (isAgentError(thrown) ? thrown.code : String(thrown)),
            ),
          );
        assert(signal.aborted, 'The lease goes on after a conflict.');
        ended.open();
      });
      await host.submit(anna, command('a'), 'anna');
      await ended.opened;
      assert.deepEqual(codes, ['session-conflict', 'session-conflict', 'session-conflict']);
      const load = await host.sessions(anna.owner).load(anna.sessionId);
      assert.equal(load.kind === 'there' ? load.session.title : load.kind, 'of another');
    },
  },
  {
    name: 'each epoch tells the journal and the record at which it began',
    async keep({ host }) {
      const epochs: number[] = [];
      await host.start(async ({ sessionId }, { epoch, sessions }) => {
        const load = await sessions.load(sessionId);
        if (load.kind !== 'there') await sessions.save(blankSession(sessionId), { expectedVersion: 0 });
        epochs.push(epoch);
      });
      await host.wakeAt(anna, 0);
      await until(() => epochs.length > 0, 'the session ran');
      await host.wakeAt(anna, 0);
      await until(() => epochs.length > 1, 'the session ran again');
      const load = await host.sessions(anna.owner).load(anna.sessionId);
      assert(load.kind === 'there');
      const { id, records } = load.session.journal;
      const starts = await host.epochs(anna, 0);
      assert.deepEqual(starts, [
        { epoch: epochs[0], journalId: null, record: 0 },
        { epoch: epochs[1], journalId: id, record: records },
      ]);
      assert.deepEqual(await host.epochs(anna, epochs[0] ?? 0), starts.slice(1));
    },
  },
  {
    name: 'a host that stops waits for its runs, and ends the lease of a run that takes longer than the grace time',
    async keep({ host, restart }) {
      const [begun, slow] = [gate(), gate()];
      let lease: Lease | null = null;
      let isLate = false;
      await host.start(async ({ sessionId }, given) => {
        if (sessionId === 's1') return void (await new Promise((resolve) => setTimeout(resolve, 100)));
        lease = given;
        begun.open();
        given.signal.addEventListener('abort', () => {
          isLate = true;
          slow.open();
        });
        await slow.opened;
      });
      await host.wakeAt({ ...anna, sessionId: 's2' }, 0);
      await begun.opened;
      const next = await restart({ graceMs: 200 });
      assert(isLate, 'The lease did not end.');
      const thrown: unknown = await (lease as Lease | null)?.sessions
        .takeEpoch('s2')
        .catch((error: unknown) => error);
      assert(isAgentError(thrown, 'session-conflict'), `A write after the end gave ${String(thrown)}.`);
      const again: string[] = [];
      await next.start(async ({ sessionId }) => void again.push(sessionId));
      await until(() => again.includes('s2'), 'the next process ran the session that had not ended');
    },
  },
];
