import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamHint } from './stream-log.ts';
import { id, owned, page, type StreamLogLaw, texts, until } from './stream-log-law.fixture.ts';

/** Laws about the end of a stream, its hints and its removal. */
export const streamLifeLaws: readonly StreamLogLaw[] = [
  {
    name: 'an ended stream is kept for its readers, even when it would be dropped for others',
    limits: { finishedMs: 0 },
    async run({ here, there }) {
      await here.create(id, owned);
      await here.attend(id, 'slow', 600);
      await here.append(id, texts(3), { ends: true });
      await sleep(100);
      assert.equal((await page(there, '0')).entries.length, 2);
      await there.attend(id, 'slow', 900);
      await sleep(600);
      // Another stream ends meanwhile, which makes room.
      await here.create('another', owned);
      await here.append('another', texts(1), { ends: true });
      assert.equal((await page(here, '1')).isEnd, true);
      await until(async () => (await here.head('another')) === null);
      await until(async () => (await here.head(id)) === null);
    },
  },
  {
    name: 'an ended stream is dropped when its last reader has left',
    limits: { finishedMs: 0 },
    async run({ here, there }) {
      await here.create(id, owned);
      await here.attend(id, 'one', 60_000);
      await there.attend(id, 'other', 60_000);
      await here.append(id, texts(3), { ends: true });
      await sleep(50);
      await here.attend(id, 'one', 0);
      await sleep(50);
      assert.equal((await page(here)).isEnd, true);
      await there.attend(id, 'other', 0);
      await until(async () => (await here.head(id)) === null);
    },
  },
  {
    name: 'a stream can be ended by others only after its writer was silent for its lease',
    async run({ here, there }) {
      await here.create(id, { ownerId: null, leaseMs: 60_000 });
      const seal = async (): Promise<boolean> =>
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
    name: 'the readers of all processes are counted, and those that died only until they expire',
    async run({ here, there }) {
      await here.create(id, owned);
      await here.attend(id, 'a', 60_000);
      await there.attend(id, 'b', 60_000);
      await there.attend(id, 'b', 60_000);
      await there.attend(id, 'dying', 500);
      assert.equal((await here.head(id))?.readers, 3);
      await sleep(600);
      assert.equal((await here.renew(id, 60_000))?.readers, 2);
      await there.attend(id, 'b', 0);
      await there.attend(id, 'b', 0);
      assert.equal((await here.head(id))?.readers, 1);
    },
  },
  {
    name: 'a watcher hears of entries, readers and the end, and of nothing after it stops',
    async run({ here, there }) {
      await here.create(id, owned);
      await here.create('other', owned);
      const heard: StreamHint[] = [];
      const stop = there.watch(id, (hint) => heard.push(hint));
      // Listening takes a moment to start; an earlier hint may be lost.
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
    name: 'an ended stream is forgotten after a time, and its id can be used again',
    limits: { finishedMs: 1000 },
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
    name: 'finished streams take no more bytes than allowed, and the newest are kept',
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
  {
    name: 'the stream that ended last is kept whatever the limit, until its end can be read',
    limits: { finishedBytes: 0 },
    async run({ here, there }) {
      await here.create(id, owned);
      await here.append(id, texts(3), { ends: true });
      const { entries, isEnd } = await page(there);
      assert.deepEqual([entries.length, isEnd], [3, true]);
      await sleep(2);
      await there.create('next', owned);
      await there.append('next', texts(1), { ends: true });
      assert.deepEqual([await here.head(id), (await page(here, null, 'next')).isEnd], [null, true]);
    },
  },
  {
    name: 'room is made by streams without readers first, and by those with readers only when needed',
    limits: { finishedBytes: 10_000 },
    async run({ here, there }) {
      const end = async (name: string): Promise<void> => {
        await here.create(name, owned);
        if (name.startsWith('read')) await there.attend(name, 'slow', 60_000);
        await here.append(name, [JSON.stringify('x'.repeat(2998))], { ends: true });
        await sleep(2);
      };
      const kept = async (...names: string[]): Promise<string[]> => {
        const heads = await Promise.all(names.map((name) => there.head(name)));
        return names.filter((_, at) => heads[at] !== null);
      };
      for (const name of ['read0', 'a', 'b', 'c', 'd']) await end(name);
      assert.deepEqual(await kept('read0', 'a', 'b', 'c', 'd'), ['read0', 'c', 'd']);
      for (const name of ['read1', 'read2', 'read3', 'e']) await end(name);
      assert.deepEqual(await kept('read0', 'c', 'd', 'read1', 'read2', 'read3', 'e'), [
        'read2',
        'read3',
        'e',
      ]);
    },
  },
];
