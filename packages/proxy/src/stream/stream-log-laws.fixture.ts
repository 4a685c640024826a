import assert from 'node:assert/strict';
import { streamLifeLaws } from './stream-life-laws.fixture.ts';
import { all, id, owned, page, type StreamLogLaw, texts } from './stream-log-law.fixture.ts';

/** Laws that every log of streams must hold. */
export const streamLogLaws: readonly StreamLogLaw[] = [
  {
    name: 'a stream is begun once when several ask at the same time',
    async run({ here, there }) {
      const begun = await Promise.all(
        Array.from({ length: 20 }, (_, at) => (at % 2 ? here : there).create(id, { ...owned, digest: 'd' })),
      );
      assert.equal(begun.filter(Boolean).length, 1);
      const head = { ownerId: 'ada', digest: 'd', isEnded: false, isAbandoned: false, readers: 0 };
      assert.deepEqual(await here.head(id), head);
      assert.deepEqual(await there.head(id), head);
    },
  },
  {
    name: 'a stream without an owner differs from one whose owner is called null',
    async run({ here }) {
      await here.create('nobody', { ownerId: null, leaseMs: 1000 });
      await here.create('null', { ownerId: 'null', leaseMs: 1000 });
      assert.equal((await here.head('nobody'))?.ownerId, null);
      assert.equal((await here.head('null'))?.ownerId, 'null');
    },
  },
  {
    name: 'a stream that was not begun is unknown to every call',
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
    name: 'the same bytes follow every offset, in either process',
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
    name: 'pages are bounded, and every entry is read once however large it is',
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
    name: 'entries are numbered in their order when several write at the same time',
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
    name: 'offsets that the log never gave are rejected',
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
    name: 'the end of a stream is reported, and nothing is accepted after it',
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
    name: 'a stream ends once when several end it at the same time',
    async run({ here, there }) {
      await here.create(id, owned);
      const ends = Array.from({ length: 20 }, (_, at) =>
        (at % 2 ? here : there).append(id, [`"end ${at}"`], { ends: true }),
      );
      assert.equal((await Promise.all(ends)).filter(Boolean).length, 1);
      assert.equal((await all(here)).length, 1);
    },
  },
  ...streamLifeLaws,
];
