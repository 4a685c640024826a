import assert from 'node:assert/strict';
import { anna, gate, type HostLaw, until } from './host-law.ts';

/** Laws of wake-ups and of the bus: 19, 15 and 24. */
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
  {
    name: 'a wake-up for later survives a run that ends before it',
    async keep({ host }) {
      let runs = 0;
      const waitMs = 2500;
      await host.wakeAt(anna, Date.now() + waitMs);
      await host.start(async (_address, { epoch }) => {
        runs++;
        for (const { command } of await host.pending(anna))
          await host.answer(anna, command.id, { turn: null, error: null }, epoch);
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
    name: 'a message reaches every listener of its session once and in order, and no other listener',
    async keep({ host: { bus } }) {
      const heard: string[] = [];
      const leave = bus.listen(anna, (message) => heard.push(`a ${String(message)}`));
      bus.listen(anna, (message) => heard.push(`b ${String(message)}`));
      bus.listen({ ...anna, owner: 'ben' }, (message) => heard.push(`ben ${String(message)}`));
      bus.listen({ ...anna, sessionId: 's2' }, (message) => heard.push(`s2 ${String(message)}`));
      bus.say(anna, 1);
      bus.say(anna, 2);
      await until(() => heard.length >= 4, 'all messages were heard');
      leave();
      bus.say(anna, 3);
      await until(() => heard.length >= 5, 'the last message was heard');
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.deepEqual(heard.toSorted(), ['a 1', 'a 2', 'b 1', 'b 2', 'b 3']);
    },
  },
];
