import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStreamLog } from './memory-stream-log.ts';
import type { StreamEntry, StreamLog } from './stream-log.ts';
import { openStreamReader, type StreamReader } from './stream-reader.ts';

afterEach(() => vi.useRealTimers());

const owned = { ownerId: null, leaseMs: 60_000 };

/** A log with slow or immediate answers, and the number of its reads. */
function logOf(isSlow: boolean): { readonly log: StreamLog; readonly reads: () => number } {
  const log = memoryStreamLog();
  const read = vi.fn<StreamLog['read']>((...asked) =>
    isSlow ? Promise.resolve(log.read(...asked)) : log.read(...asked),
  );
  return { log: { ...log, read }, reads: () => read.mock.calls.length };
}

async function opened(log: StreamLog, after: string | null = null): Promise<StreamReader> {
  const reader = await openStreamReader(log, 's', { ...owned, after });
  if (typeof reader === 'string') throw new Error(reader);
  return reader;
}

const dataOf = (entries: readonly StreamEntry[] | null): unknown => entries?.map(({ data }) => data) ?? null;

describe.each([
  ['answers at once', false],
  ['answers later', true],
])('the reader', (_how, isSlow) => {
  it('the reader asks once for each hint', async () => {
    const { log, reads } = logOf(isSlow);
    await log.create('s', owned);
    const reader = await opened(log);
    const waiting = reader.read();
    await vi.waitFor(() => expect(reads()).toBe(2));
    await log.append('s', ['"a"', '"b"']);
    expect(dataOf(await waiting)).toEqual(['"a"', '"b"']);
    const more = reader.read();
    await log.append('s', ['"c"'], { ends: true });
    expect(dataOf(await more)).toEqual(['"c"']);
    expect(await reader.read()).toBeNull();
    expect(reads()).toBe(4);
    reader.cancel();
  });

  it('the reader reads the entries of a pause page by page, without waiting in between', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const { log } = logOf(isSlow);
    const large = Array.from({ length: 9 }, (_, at) => JSON.stringify(`${at}`.repeat(100_000)));
    await log.create('s', owned);
    await log.append('s', large.slice(0, 4));
    const reader = await opened(log);
    await log.append('s', large.slice(4), { ends: true });
    const read: unknown[] = [];
    for (let page = await reader.read(); page !== null; page = await reader.read())
      read.push(...page.map(({ data }) => data));
    expect(read).toEqual(large);
    reader.cancel();
  });

  it('the reader ends a waiting read when it is cancelled, and every later one', async () => {
    const { log } = logOf(isSlow);
    await log.create('s', owned);
    const reader = await opened(log);
    const waiting = reader.read();
    reader.cancel();
    reader.cancel();
    expect([await waiting, await reader.read()]).toEqual([null, null]);
    expect((await log.head('s'))?.readers).toBe(0);
  });
});

it('the reader fails with its log, and continues when the log is back', async () => {
  const log = memoryStreamLog();
  let isAway = false;
  const read: StreamLog['read'] = (...asked) =>
    isAway ? Promise.reject(new Error('away')) : log.read(...asked);
  await log.create('s', owned);
  const reader = await opened({ ...log, read });
  isAway = true;
  await expect(reader.read()).rejects.toThrow('away');
  isAway = false;
  await log.append('s', ['"a"']);
  expect(dataOf(await reader.read())).toEqual(['"a"']);
  reader.cancel();
});
