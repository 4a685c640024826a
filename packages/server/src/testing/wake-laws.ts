import assert from 'node:assert/strict';
import type { SessionHost } from '../host/session-host.ts';
import {
  anna,
  answerAll,
  command,
  done,
  gate,
  type HostLaw,
  type LawContext,
  pendingIds,
  until,
} from './host-law.ts';

/** Laws of wake-ups, of the clock and of the bus: 19, 25, 15 and 24. */
export const wakeLaws: readonly HostLaw[] = [
  {
    name: 'a wake-up that is due later is had when it is due, and not before',
    async keep({ host }) {
      const begun = gate();
      const startedAt = Date.now();
      let at = 0;
      await host.start(async () => {
        at = Date.now();
        begun.open();
      });
      await host.wakeAt(anna, startedAt + 700);
      await begun.opened;
      assert(at - startedAt >= 690, `The session ran after ${at - startedAt} ms.`);
    },
  },
  ...[3_600_000, -3_600_000].map((offset) => ({
    name: `the clock of a host is the one of its database, also in a process whose clock is an hour ${offset > 0 ? 'ahead' : 'behind'}`,
    async keep({ host }: LawContext) {
      const { now } = Date;
      const at = now() + 700;
      const times: number[] = [];
      Date.now = () => now() + offset;
      try {
        await host.start(async (address, { epoch }) => {
          // Before the answer, after which this run counts no more.
          times.push(now());
          await answerAll(host, address, epoch);
        });
        await host.submit(anna, command('a'), 'anna');
        await until(async () => (await host.answerOf(anna, 'a')) !== 'waiting', 'the command was answered');
        times.length = 0;
        await host.wakeAt(anna, at);
        await until(() => times.length > 0, 'the session ran when its wake-up was due');
        const [ranAt = 0] = times;
        assert(ranAt >= at - 10 && ranAt < at + 3000, `The session ran ${ranAt - at} ms after its time.`);
      } finally {
        Date.now = now;
      }
    },
  })),
  {
    name: 'a command kept for later is pending at its time and not before, also when other commands are answered meanwhile, and once',
    async keep({ host, restart }) {
      const waitMs = 1500;
      const dueAt = Date.now() + waitMs;
      await host.submit(anna, command('later'), 'anna', dueAt);
      await host.submit(anna, command('later'), 'anna');
      assert.deepEqual(await host.pending(anna), []);
      assert.equal(await host.answerOf(anna, 'later'), 'waiting');
      const had: [id: string, at: number][] = [];
      const serve = (own: SessionHost): Promise<void> =>
        own.start(async (address, { epoch }) => {
          for (const id of await pendingIds(own)) {
            had.push([id, Date.now()]);
            await own.answer(address, id, done, epoch);
          }
        });
      await serve(host);
      await host.submit(anna, command('now'), 'anna');
      await until(() => had.length === 1, 'the command of now was had');
      await until(() => had.length === 2, 'the later command was had');
      assert.deepEqual(
        had.map(([id]) => id),
        ['now', 'later'],
      );
      assert((had[1]?.[1] ?? 0) >= dueAt - 10, 'The later command was had too early.');
      // One that falls due while no process is there is had by the next one.
      await host.submit(anna, command('last'), 'anna', Date.now() + 300);
      const next = await restart({ graceMs: 0 });
      await new Promise((resolve) => setTimeout(resolve, 400));
      await serve(next);
      await until(() => had.length === 3, 'the last command was had');
      await until(async () => !(await next.isAwake(anna)), 'the session has ended');
      assert.equal(had.length, 3);
    },
  },
  {
    name: 'a wake-up for later survives a run that ends before it',
    async keep({ host }) {
      let runs = 0;
      const waitMs = 2500;
      await host.wakeAt(anna, Date.now() + waitMs);
      await host.start(async (_address, { epoch }) => {
        runs++;
        await answerAll(host, anna, epoch);
      });
      await host.submit(anna, { id: 'a', type: 'send' }, 'anna');
      await until(() => runs === 1, 'the command was run');
      await until(() => runs === 2, 'the session ran when the wake-up was due');
    },
  },
  {
    name: 'a wake-up that falls due while no process is there is had by the next one, once',
    async keep({ host, restart }) {
      await host.wakeAt(anna, Date.now() + 100);
      const next = await restart({ graceMs: 0 });
      await new Promise((resolve) => setTimeout(resolve, 200));
      let runs = 0;
      await next.start(async () => void runs++);
      await until(() => runs > 0, 'the session ran');
      await new Promise((resolve) => setTimeout(resolve, 600));
      assert.equal(runs, 1);
    },
  },
  {
    name: 'a session is awake from its wake-up until a run has resolved, also between a process that leaves it and the next',
    async keep({ host, restart }) {
      assert.equal(await host.isAwake(anna), false);
      await host.wakeAt(anna, Date.now() + 60_000);
      assert.equal(await host.isAwake(anna), false, 'A session is awake before its wake-up is due.');
      await host.submit(anna, { id: 'a', type: 'send' }, 'anna');
      assert.equal(await host.isAwake(anna), true, 'A kept command does not wake its session.');
      const begun = gate();
      await host.start(async (_address, { signal }) => {
        begun.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new Error('The session is left with work.');
      });
      await begun.opened;
      assert.equal(await host.isAwake(anna), true, 'A session that runs is not awake.');
      assert.equal(await host.isAwake({ ...anna, owner: 'ben' }), false);
      assert.equal(await host.isAwake({ ...anna, sessionId: 's2' }), false);
      const next = await restart({ graceMs: 0 });
      assert.equal(await next.isAwake(anna), true, 'A session that was left with work is not awake.');
      await next.start((address, { epoch }) => answerAll(next, address, epoch));
      await until(async () => !(await next.isAwake(anna)), 'the session has ended');
    },
  },
  {
    name: 'a message reaches every listener of its session once and in order, and no other listener',
    async keep({ host: { bus } }) {
      const received: string[] = [];
      const leave = bus.listen(anna, (message) => received.push(`a ${String(message)}`));
      bus.listen(anna, (message) => received.push(`b ${String(message)}`));
      bus.listen({ ...anna, owner: 'ben' }, (message) => received.push(`ben ${String(message)}`));
      bus.listen({ ...anna, sessionId: 's2' }, (message) => received.push(`s2 ${String(message)}`));
      bus.say(anna, 1);
      bus.say(anna, 2);
      await until(() => received.length >= 4, 'all messages were heard');
      leave();
      bus.say(anna, 3);
      await until(() => received.length >= 5, 'the last message was heard');
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.deepEqual(received.toSorted(), ['a 1', 'a 2', 'b 1', 'b 2', 'b 3']);
    },
  },
];
