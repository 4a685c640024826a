import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { type Effect, effectLog, type EffectLog } from '@vitrine/core/internal/run/effect-log';
import { assertSame, assertTrue } from '../store-suite/assert-same.ts';
import { effect, type EffectLaw } from './effects-under-test.ts';
import { mortalProcess } from './mortal-process.ts';

const { signal } = new AbortController();
const idempotent = (given: Partial<Effect> = {}): Effect => effect({ effects: 'idempotent', ...given });
const stopped = {
  failed: { name: 'Error', message: 'no money', code: null, data: {}, cause: null },
  stop: null,
};

function countCalls<Outcome>(outcome: Outcome): {
  readonly work: () => Promise<Outcome>;
  readonly calls: () => number;
} {
  let calls = 0;
  return { calls: () => calls, work: () => Promise.resolve((calls++, outcome)) };
}

/** A stream that counts its calls. */
function streamItems<Item>(...items: Item[]): {
  readonly work: () => AsyncIterable<Item>;
  readonly calls: () => number;
} {
  let calls = 0;
  async function* work(): AsyncGenerator<Item> {
    calls++;
    yield* items;
  }
  return { calls: () => calls, work };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function codeOf(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.catch((thrown: unknown) => (isAgentError(thrown) ? thrown.code : String(thrown)));
}

const never = (): Promise<never> => new Promise(() => undefined);

/** Waits until the log has called its work, or can be expected to have. */
async function untilBegun(start: (onCall: () => void) => void): Promise<void> {
  await new Promise<void>((resolve) => start(resolve));
}

export const logLaws: readonly EffectLaw[] = [
  {
    name: 'a recorded call is not made again, by this or another instance',
    async run({ effects }, reopen) {
      for (const call of [effect(), idempotent({ key: '2/0/1' })]) {
        const { work, calls } = countCalls({ value: { paid: [1, 'x', null] } });
        assertSame(
          await effects.perform(call, work, signal),
          { value: { paid: [1, 'x', null] } },
          'The outcome',
        );
        for (const log of [effects, reopen()])
          for (const hasBegun of [false, true])
            assertSame(
              await log.perform({ ...call, hasBegun }, work, signal),
              { value: { paid: [1, 'x', null] } },
              'The recorded outcome',
            );
        assertSame(calls(), 1, 'The calls');
      }
    },
  },
  {
    name: 'a recorded stream gives its items again, and its work is not called',
    async run({ effects }, reopen) {
      const model = idempotent({ kind: 'model', key: '1/model/1' });
      for (const items of [[{ n: 1 }, 'two', null], ['only'], []]) {
        const call = { ...model, key: `1/model/${items.length}` };
        const { work, calls } = streamItems(...items);
        for (const log of [effects, effects, reopen()])
          assertSame(await all(log.stream(call, work, signal)), items, 'The items');
        assertSame(calls(), 1, 'The calls');
      }
    },
  },
  {
    name: 'a failure is recorded as data and told again',
    async run({ effects }, reopen) {
      const { work, calls } = countCalls(stopped);
      await effects.perform(effect(), work, signal);
      assertSame(await reopen().perform(effect({ hasBegun: true }), work, signal), stopped, 'The failure');
      assertSame(calls(), 1, 'The calls');
    },
  },
  {
    name: 'a `once` call that began and has no record is refused without being made',
    async run({ effects }, reopen) {
      const { work, calls } = countCalls('done');
      await untilBegun((onCall) => void effects.perform(effect(), () => (onCall(), never()), signal));
      for (const log of [effects, reopen()])
        for (const hasBegun of [true, false])
          assertSame(
            await codeOf(log.perform(effect({ hasBegun }), work, signal)),
            'tool-interrupted',
            'The error',
          );
      const unknown = effect({ key: '9/0/1', hasBegun: true });
      assertSame(
        await codeOf(effects.perform(unknown, work, signal)),
        'tool-interrupted',
        'A call of another log',
      );
      assertSame(calls(), 0, 'The calls');
    },
  },
  {
    name: 'an idempotent call that began and has no record is made again',
    async run({ effects }, reopen) {
      const { work, calls } = countCalls('done');
      const model = idempotent({ kind: 'model', key: '1/model/1' });
      await untilBegun((onCall) => void effects.perform(idempotent(), () => (onCall(), never()), signal));
      await untilBegun((onCall) => {
        async function* work(): AsyncGenerator<string> {
          yield 'first';
          onCall();
          await never();
        }
        void all(effects.stream(model, work, signal));
      });
      const again = reopen();
      assertSame(await again.perform(idempotent({ hasBegun: true }), work, signal), 'done', 'The outcome');
      const second = streamItems('a', 'b');
      assertSame(
        await all(again.stream({ ...model, hasBegun: true }, second.work, signal)),
        ['a', 'b'],
        'The items',
      );
      assertSame([calls(), second.calls()], [1, 1], 'The calls');
    },
  },
  {
    name: 'an abort is not recorded as an outcome',
    async run({ effects }, reopen) {
      for (const isQuiet of [true, false]) {
        const controller = new AbortController();
        const key = `1/model/${isQuiet}`;
        async function* yieldAndAbort(given: AbortSignal): AsyncGenerator<string> {
          yield 'first';
          yield 'second';
          controller.abort(new Error('enough'));
          if (!isQuiet) given.throwIfAborted();
        }
        await codeOf(
          all(effects.stream(idempotent({ kind: 'model', key }), yieldAndAbort, controller.signal)),
        );
        const whole = streamItems('a');
        const again = reopen().stream(idempotent({ kind: 'model', key }), whole.work, signal);
        assertSame(await all(again), ['a'], 'The items after an abort');
      }
      const controller = new AbortController();
      const aborted = effects.perform(
        idempotent(),
        (given) => {
          controller.abort(new Error('enough'));
          return Promise.reject(given.reason);
        },
        controller.signal,
      );
      assertSame(await codeOf(aborted), 'Error: enough', 'The reason of the abort');
      const { work } = countCalls('done');
      assertSame(await reopen().perform(idempotent(), work, signal), 'done', 'The outcome after an abort');
      const late = countCalls('late');
      await codeOf(effects.perform(effect({ key: '5/0/1' }), late.work, controller.signal));
      assertSame(late.calls(), 0, 'The calls under an aborted signal');
    },
  },
  {
    name: 'work that rejects and a stream that throws are not recorded',
    async run({ effects }, reopen) {
      const fails = (): Promise<never> => Promise.reject(new Error('gone'));
      assertSame(await codeOf(effects.perform(idempotent(), fails, signal)), 'Error: gone', 'The error');
      assertSame(
        await reopen().perform(idempotent(), countCalls('done').work, signal),
        'done',
        'The next outcome',
      );
      async function* breaks(): AsyncGenerator<string> {
        yield 'a';
        throw new Error('gone');
      }
      const call = idempotent({ kind: 'model', key: '1/model/1' });
      assertSame(
        await codeOf(all(effects.stream(call, breaks, signal))),
        'Error: gone',
        'The error of the stream',
      );
      assertSame(await all(reopen().stream(call, streamItems('b').work, signal)), ['b'], 'The next items');
    },
  },
  {
    name: 'the last item of a stream is told after its record is kept',
    async run({ effects }, reopen) {
      const items = ['a', 'b', 'c'];
      const call = idempotent({ kind: 'model', key: '1/model/1' });
      const { work, calls } = streamItems(...items);
      const seen: string[] = [];
      for await (const item of effects.stream(call, work, signal)) {
        seen.push(item);
        if (seen.length < items.length) continue;
        assertSame(await all(reopen().stream(call, work, signal)), items, 'The record at the last item');
      }
      assertSame([seen, calls()], [items, 1], 'The items and calls');
    },
  },
  {
    name: 'a stream that is left early ends its work and is not recorded',
    async run({ effects }, reopen) {
      const call = idempotent({ kind: 'model', key: '1/model/1' });
      let isEnded = false;
      async function* long(): AsyncGenerator<string> {
        try {
          for (const item of ['a', 'b', 'c']) yield item;
        } finally {
          isEnded = true;
        }
      }
      for await (const item of effects.stream(call, long, signal)) if (item === 'a') break;
      assertTrue(isEnded, 'The work of a stream that was left goes on.');
      assertSame(await all(reopen().stream(call, streamItems('d').work, signal)), ['d'], 'The next items');
    },
  },
  {
    name: '`forget` deletes the records of one execution only',
    async run({ effects }, reopen) {
      const [one, other] = [effect({ executionId: 'one' }), effect({ executionId: 'other' })];
      const { work, calls } = countCalls('done');
      await effects.perform(one, work, signal);
      await effects.perform(other, work, signal);
      assertSame(calls(), 2, 'The calls of two executions with one key');
      await effects.forget('one');
      await effects.forget('unknown');
      await reopen().perform(one, work, signal);
      await reopen().perform(other, work, signal);
      assertSame(calls(), 3, 'The calls after one was forgotten');
    },
  },
  {
    name: 'large outcomes and long streams are recorded whole',
    async run({ effects }, reopen) {
      const text = 'ä"\\\n'.repeat(1_000_000);
      await effects.perform(effect(), countCalls({ value: text }).work, signal);
      const { value } = await reopen().perform(effect(), countCalls({ value: '' }).work, signal);
      assertTrue(value === text, 'A large outcome is not the same after it was recorded.');
      const items = Array.from({ length: 20_000 }, (_, n) => ({ type: 'text-delta', delta: `word ${n} ` }));
      const call = idempotent({ kind: 'model', key: '1/model/1' });
      await all(effects.stream(call, streamItems(...items).work, signal));
      const again = streamItems<(typeof items)[number]>();
      assertSame(await all(reopen().stream(call, again.work, signal)), items, 'The items');
    },
  },
  {
    name: 'calls of different keys are recorded side by side',
    async run({ effects }, reopen) {
      const odd = ['a/b', 'a', 'a%2Fb', "a'b", 'a"b', 'é', '😀', '__proto__', '1/hook/x', ''];
      const keys = [...odd, ...Array.from({ length: 40 }, (_, n) => `${n}/0/1`)];
      const log = reopen();
      const made = await Promise.all(
        keys.map((key, at) =>
          (at % 2 === 0 ? effects : log).perform(
            effect({ key, effects: at % 3 === 0 ? 'once' : 'idempotent' }),
            () => Promise.resolve(`outcome of ${key}`),
            signal,
          ),
        ),
      );
      assertSame(
        made,
        keys.map((key) => `outcome of ${key}`),
        'The outcomes',
      );
      const { work, calls } = countCalls('again');
      const again = await Promise.all(keys.map((key) => log.perform(effect({ key }), work, signal)));
      assertSame([again, calls()], [made, 0], 'The recorded outcomes');
    },
  },
  {
    name: 'two processes that make the same `once` call make it once',
    async run({ effects }, reopen) {
      for (let round = 0; round < 10; round++) {
        const { work, calls } = countCalls('done');
        const key = `${round}/0/1`;
        const both = [effects, reopen()].map((log) => codeOf(log.perform(effect({ key }), work, signal)));
        for (const outcome of await Promise.all(both))
          assertTrue(
            outcome === 'done' || outcome === 'tool-interrupted',
            `An outcome is ${String(outcome)}.`,
          );
        assertSame(calls(), 1, 'The calls');
      }
    },
  },
  {
    name: 'the first recorded outcome of a call stays',
    async run({ effects }, reopen) {
      let free = (): void => undefined;
      const held = new Promise<void>((resolve) => (free = resolve));
      const late = effects.perform(idempotent(), () => held.then(() => 'late'), signal);
      assertSame(
        await reopen().perform(idempotent(), countCalls('first').work, signal),
        'first',
        'The first outcome',
      );
      free();
      await late;
      const { work } = countCalls('again');
      assertSame(await reopen().perform(idempotent(), work, signal), 'first', 'The recorded outcome');
    },
  },
  {
    name: 'a damaged record counts as none',
    needsRecords: true,
    async run({ effects, records }) {
      const { work, calls } = countCalls('done');
      await records?.begin('execution', '1/0/1');
      for (const key of ['1/0/1', '2/0/1', '1/model/1'])
        await records?.end('execution', key, '{"value', 'once');
      assertSame(await codeOf(effects.perform(effect(), work, signal)), 'tool-interrupted', 'A `once` call');
      assertSame(await effects.perform(idempotent({ key: '2/0/1' }), work, signal), 'done', 'Another call');
      const model = idempotent({ kind: 'model', key: '1/model/1' });
      assertSame(await all(effects.stream(model, streamItems('a').work, signal)), ['a'], 'The items');
      assertSame(calls(), 1, 'The calls');
    },
  },
  {
    name: 'a crash between any two operations loses no record and makes no `once` call twice',
    needsRecords: true,
    async run({ records }, reopen) {
      if (records === undefined) return;
      for (const kind of ['once', 'idempotent', 'stream'] as const)
        for (let at = 1, isOver = false; !isOver; at++)
          for (const isDone of [false, true]) isOver = await crash({ kind, at, isDone });

      async function crash({ kind, at, isDone }: Crash): Promise<boolean> {
        const key = `${kind}/${at}/${isDone}`;
        const process = mortalProcess({ at, isDone });
        let [made, reported] = [0, false];
        const call = effect({ key, effects: kind === 'once' ? 'once' : 'idempotent' });
        const ask = async (log: EffectLog): Promise<unknown> => {
          if (kind !== 'stream') return log.perform(call, () => Promise.resolve(++made && 'done'), signal);
          async function* work(): AsyncGenerator<string> {
            made++;
            yield 'a';
            yield 'b';
          }
          return all(log.stream(call, work, signal));
        };
        const first = ask(effectLog(process.records(records as never))).then(() => (reported = true));
        await Promise.race([first, untilDead(process.isDead)]);
        const madeBefore = made;
        const second = await codeOf(ask(reopen()));
        if (kind === 'once')
          assertTrue(made <= 1, `A \`once\` call was made ${made} times (crash at ${key}).`);
        else assertTrue(second !== 'tool-interrupted', `A call that may be repeated was refused (${key}).`);
        if (reported) assertSame(made, madeBefore, `The calls after an outcome was told (${key})`);
        return reported;
      }
    },
  },
];

type Crash = {
  readonly kind: 'once' | 'idempotent' | 'stream';
  readonly at: number;
  readonly isDone: boolean;
};

async function untilDead(isDead: () => boolean): Promise<void> {
  while (!isDead()) await new Promise((resolve) => setTimeout(resolve, 1));
}
