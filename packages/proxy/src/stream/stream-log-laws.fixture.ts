import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamHint, StreamLog, StreamLogLimits, StreamPage } from './stream-log.ts';

/** Two logs over one storage, as two proxy processes have them; a log in memory is the same twice. */
export type TwoLogs = { readonly here: StreamLog; readonly there: StreamLog };

/** One law, as a sentence, and how it is tried with logs that are empty. */
export type StreamLogLaw = {
  readonly name: string;
  readonly limits?: StreamLogLimits;
  readonly run: (logs: TwoLogs) => Promise<void>;
};

const owned = { ownerId: 'ada', leaseMs: 60_000 };
const id = 'stream-1';

async function page(log: StreamLog, after: string | null = null, of = id): Promise<StreamPage> {
  const found = await log.read(of, after);
  assert(typeof found === 'object', `read gave ${String(found)}`);
  return found;
}

/** All entries from an offset on, page by page. */
async function all(log: StreamLog, after: string | null = null): Promise<{ data: string; offset: string }[]> {
  const found = [];
  for (let last = after; ; last = found.at(-1)?.offset ?? after) {
    const { entries } = await page(log, last);
    if (entries.length === 0) return found;
    found.push(...entries);
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const late = Date.now() + 3000; Date.now() < late; await sleep(5)) if (await isSo()) return;
  assert.fail('It did not come to be within 3 s.');
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => JSON.stringify({ at }));

/** What every log of streams has to hold. */
export const streamLogLaws: readonly StreamLogLaw[] = [
  {
    name: 'begins a stream once, whoever asks at the same time',
    async run({ here, there }) {
      const begun = await Promise.all(
        Array.from({ length: 20 }, (_, at) => (at % 2 ? here : there).create(id, owned)),
      );
      assert.equal(begun.filter(Boolean).length, 1);
      const head = { ownerId: 'ada', isEnded: false, isAbandoned: false, readers: 0 };
      assert.deepEqual(await here.head(id), head);
      assert.deepEqual(await there.head(id), head);
    },
  },
  {
    name: 'keeps an owner apart from none',
    async run({ here }) {
      await here.create('nobody', { ownerId: null, leaseMs: 1000 });
      await here.create('null', { ownerId: 'null', leaseMs: 1000 });
      assert.equal((await here.head('nobody'))?.ownerId, null);
      assert.equal((await here.head('null'))?.ownerId, 'null');
    },
  },
  {
    name: 'knows nothing of a stream that was not begun',
    async run({ here }) {
      assert.equal(await here.head(id), null);
      assert.equal(await here.read(id, null), 'unknown');
      assert.equal(await here.renew(id, 1000), null);
      assert.equal(await here.append(id, ['1']), false);
      await here.attend(id, 'r', 1000);
      assert.equal(await here.head(id), null);
    },
  },
  {
    name: 'gives the same bytes from every offset on, in either process',
    async run({ here, there }) {
      await here.create(id, owned);
      const odd = ['{"a":"\\u0000 \\ud800"}', '"😀\u2028"', '""', JSON.stringify('x'.repeat(70_000))];
      const data = [...texts(40), ...odd, ...texts(40)];
      for (let at = 0; at < data.length; at += 7) assert(await here.append(id, data.slice(at, at + 7)));
      const entries = await all(here);
      assert.deepEqual(
        entries.map((entry) => entry.data),
        data,
      );
      for (const [at, { offset }] of entries.entries())
        assert.deepEqual(await all(there, offset), entries.slice(at + 1));
    },
  },
  {
    name: 'gives pages that are bounded, and every entry once however large it is',
    async run({ here }) {
      await here.create(id, owned);
      const large = Array.from({ length: 30 }, (_, at) => JSON.stringify(`${at}`.repeat(100_000)));
      const data = [...large, ...texts(2000)];
      await here.append(id, data);
      const { entries } = await page(here);
      assert(entries.length >= 1 && entries.length < 10, `${entries.length} entries`);
      assert.deepEqual(
        (await all(here)).map((entry) => entry.data),
        data,
      );
    },
  },
  {
    name: 'numbers entries in their order, whatever is written at the same time',
    async run({ here, there }) {
      await here.create(id, owned);
      const written = Array.from({ length: 30 }, (_, at) =>
        (at % 2 ? here : there).append(id, [`"${at}a"`, `"${at}b"`]),
      );
      assert((await Promise.all(written)).every(Boolean));
      const { entries } = await page(here);
      assert.deepEqual(
        entries.map(({ index }) => index),
        [...entries.keys()],
      );
      assert.equal(entries.length, 60);
      for (let at = 0; at < 60; at += 2)
        assert.equal(entries[at]?.data.replace('a', 'b'), entries[at + 1]?.data);
    },
  },
  {
    name: 'refuses offsets that it never gave',
    async run({ here }) {
      await here.create(id, owned);
      assert.equal(await here.read(id, '0'), 'offset-invalid');
      await here.append(id, texts(3));
      for (const junk of [
        '3',
        '99',
        '-1',
        '',
        ' 1',
        '1 ',
        '01',
        '1.0',
        '1e0',
        'x',
        '0-1',
        '٣',
        '9'.repeat(30),
      ])
        assert.equal(await here.read(id, junk), 'offset-invalid', JSON.stringify(junk));
      assert.deepEqual((await page(here, '2')).entries, []);
    },
  },
  {
    name: 'says where the end is, and takes nothing behind it',
    async run({ here, there }) {
      await here.create(id, owned);
      await here.append(id, texts(2));
      assert.equal((await page(here)).isEnd, false);
      assert(await here.append(id, ['"last"'], { ends: true }));
      for (const log of [here, there]) {
        assert.deepEqual(await log.append(id, ['"late"']), false);
        assert.deepEqual(await log.append(id, ['"late"'], { ends: true }), false);
        assert.equal((await page(log)).isEnd, true);
        assert.deepEqual([(await page(log)).entries.length, (await page(log, '2')).isEnd], [3, true]);
        assert.equal((await log.head(id))?.isEnded, true);
      }
    },
  },
  {
    name: 'lets a stream end once, whoever wants to end it at the same time',
    async run({ here, there }) {
      await here.create(id, owned);
      const ends = Array.from({ length: 20 }, (_, at) =>
        (at % 2 ? here : there).append(id, [`"end ${at}"`], { ends: true }),
      );
      assert.equal((await Promise.all(ends)).filter(Boolean).length, 1);
      assert.equal((await all(here)).length, 1);
    },
  },
  {
    name: 'lets others end a stream only when its writer has been silent for its lease',
    async run({ here, there }) {
      await here.create(id, { ownerId: null, leaseMs: 60_000 });
      const seal = (): Promise<boolean> =>
        there.append(id, ['"sealed"'], { ends: true, onlyIfAbandoned: true });
      assert.deepEqual([await seal(), (await page(there)).isAbandoned], [false, false]);
      await here.renew(id, 30);
      await until(async () => (await page(there)).isAbandoned);
      assert.equal((await there.head(id))?.isAbandoned, true);
      assert.equal((await here.renew(id, 60_000))?.isAbandoned, false);
      assert.equal(await seal(), false);
      await here.renew(id, 30);
      await sleep(60);
      assert.equal(await seal(), true);
      assert.deepEqual(
        [await here.append(id, ['"late"']), (await here.renew(id, 1000))?.isEnded],
        [false, true],
      );
      assert.equal((await page(here)).isAbandoned, false);
    },
  },
  {
    name: 'counts readers of all processes, also those that have died',
    async run({ here, there }) {
      await here.create(id, owned);
      await here.attend(id, 'a', 60_000);
      await there.attend(id, 'b', 60_000);
      await there.attend(id, 'b', 60_000);
      await there.attend(id, 'dying', 40);
      assert.equal((await here.head(id))?.readers, 3);
      await sleep(80);
      assert.equal((await here.renew(id, 60_000))?.readers, 2);
      await there.attend(id, 'b', 0);
      await there.attend(id, 'b', 0);
      assert.equal((await here.head(id))?.readers, 1);
    },
  },
  {
    name: 'tells those who watch of entries, of readers and of the end, and no longer',
    async run({ here, there }) {
      await here.create(id, owned);
      await here.create('other', owned);
      const heard: StreamHint[] = [];
      const stop = there.watch(id, (hint) => heard.push(hint));
      // Listening takes a moment; a hint before that may be lost.
      await until(async () => (await here.append(id, ['1'])) && heard.length > 0);
      await until(() => heard.includes('entries'));
      await sleep(50);
      heard.length = 0;
      await here.append('other', ['1']);
      await here.attend(id, 'r', 1000);
      await until(() => heard.includes('state'));
      assert(!heard.includes('entries'));
      heard.length = 0;
      await here.attend(id, 'r', 0);
      await until(() => heard.includes('state'));
      heard.length = 0;
      await here.append(id, ['2'], { ends: true });
      await until(() => heard.includes('entries') && heard.includes('state'));
      stop();
      stop();
      heard.length = 0;
      await here.attend(id, 'r', 1000);
      await sleep(50);
      assert.deepEqual(heard, []);
    },
  },
  {
    name: 'forgets a stream some time after its end, whose id can then be used again',
    limits: { finishedMs: 150 },
    async run({ here, there }) {
      await here.create(id, owned);
      await here.append(id, texts(3), { ends: true });
      assert.equal(await there.create(id, owned), false);
      await until(async () => (await there.head(id)) === null);
      assert.equal(await there.read(id, null), 'unknown');
      assert.equal(await there.create(id, owned), true);
      assert.deepEqual((await page(here)).entries, []);
    },
  },
  {
    name: 'keeps no more bytes of finished streams than it may, the newest of them',
    limits: { finishedBytes: 10_000 },
    async run({ here, there }) {
      await here.create('running', owned);
      await here.append('running', [JSON.stringify('r'.repeat(20_000))]);
      for (let at = 0; at < 12; at++) {
        await here.create(`s${at}`, owned);
        await here.append(`s${at}`, [JSON.stringify('x'.repeat(2998))], { ends: true });
        await sleep(2);
      }
      const heads = await Promise.all(Array.from({ length: 12 }, (_, at) => there.head(`s${at}`)));
      assert.deepEqual(
        heads.map((head) => head !== null),
        [...Array(9).fill(false), true, true, true],
      );
      assert.equal((await page(there, null, 'running')).entries.length, 1);
    },
  },
];
