import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamLog, StreamLogLimits, StreamPage } from './stream-log.ts';

/** Two logs over one storage, as two proxy processes have them; a log in memory is the same twice. */
export type TwoLogs = { readonly here: StreamLog; readonly there: StreamLog };

/** One law as a sentence, with a test over empty logs. */
export type StreamLogLaw = {
  readonly name: string;
  readonly limits?: StreamLogLimits;
  readonly run: (logs: TwoLogs) => Promise<void>;
};

/** The options that create the streams of these laws. */
export const owned = { ownerId: 'ada', leaseMs: 60_000 };
/** The stream of most laws. */
export const id = 'stream-1';

/** One page of an existing stream. */
export async function page(log: StreamLog, after: string | null = null, streamId = id): Promise<StreamPage> {
  const found = await log.read(streamId, after);
  assert(typeof found === 'object', `read gave ${String(found)}`);
  return found;
}

/** All entries from an offset on, page by page. */
export async function all(
  log: StreamLog,
  after: string | null = null,
): Promise<{ data: string; offset: string }[]> {
  const found = [];
  for (let last = after; ; last = found.at(-1)?.offset ?? after) {
    const { entries, hasMore } = await page(log, last);
    found.push(...entries);
    assert(entries.length > 0 || !hasMore, 'There is more, but it did not come.');
    if (!hasMore) return found;
  }
}

/** Waits until a condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const late = Date.now() + 3000; Date.now() < late; await sleep(5)) if (await isSo()) return;
  assert.fail('It did not come to be within 3 s.');
}

/** Creates so many different entries. */
export const texts = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => JSON.stringify({ at }));
