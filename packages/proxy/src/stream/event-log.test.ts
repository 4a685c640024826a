import type { InferenceEvent } from '@vitrine/core';
import { describe, expect, it, vi } from 'vitest';
import { createEventLog } from './event-log.ts';

const delta = (text: string): InferenceEvent => ({ type: 'text-delta', delta: text });

/** What has settled by now, and `waiting` for what has not. */
const now = <Value>(promise: Promise<Value>): Promise<Value | 'waiting'> =>
  Promise.race([promise, new Promise<'waiting'>((resolve) => setTimeout(resolve, 5, 'waiting'))]);

describe('a reader of a log', () => {
  it('reads from its offset on, waits for more, and comes to the end', async () => {
    const log = createEventLog(() => undefined);
    log.add(delta('a'));
    log.add(delta('b'));
    const [first, second, ahead] = [log.open(0), log.open(1), log.open(7)];
    expect(await first.next()).toEqual({ offset: 0, json: '{"type":"text-delta","delta":"a"}' });
    expect(await second.next()).toEqual({ offset: 1, json: '{"type":"text-delta","delta":"b"}' });
    const waiting = second.next();
    expect(await now(waiting)).toBe('waiting');
    log.add(delta('c'));
    expect(await waiting).toMatchObject({ offset: 2 });
    log.end();
    expect([await second.next(), await ahead.next()]).toEqual([null, null]);
    expect(await first.next()).toMatchObject({ offset: 1 });
  });

  it('that is closed gets nothing more, also when it is waiting', async () => {
    const log = createEventLog(() => undefined);
    const reader = log.open(0);
    const waiting = reader.next();
    reader.close();
    expect(await now(waiting)).toBeNull();
    log.add(delta('a'));
    expect(await now(reader.next())).toBeNull();
  });

  it('that is the last to leave is noticed, once', () => {
    const onUnread = vi.fn();
    const log = createEventLog(onUnread);
    const [first, second] = [log.open(0), log.open(0)];
    first.close();
    first.close();
    expect([onUnread.mock.calls.length, log.readers()]).toEqual([0, 1]);
    second.close();
    second.close();
    expect([onUnread.mock.calls.length, log.readers()]).toEqual([1, 0]);
  });
});

it('a log has room when its foremost reader has come near, or when it has ended', async () => {
  const log = createEventLog(() => undefined);
  const [slow, fast] = [log.open(0), log.open(0)];
  const half = 'x'.repeat(600_000);
  log.add(delta(half));
  expect(await now(log.hasRoom())).toBeUndefined();
  log.add(delta(half));
  const room = log.hasRoom();
  expect(await now(room)).toBe('waiting');
  await fast.next();
  expect(await now(room)).toBeUndefined();
  // What one has taken makes no room again when another takes it.
  log.add(delta(half));
  await slow.next();
  const more = log.hasRoom();
  expect(await now(more)).toBe('waiting');
  log.end();
  expect(await now(more)).toBeUndefined();
});

it('a log tells its first and its last event, or that there is none', async () => {
  const log = createEventLog(() => undefined);
  const first = log.first();
  expect(await now(first)).toBe('waiting');
  log.add(delta('a'));
  log.add(delta('b'));
  expect([await first, log.last()]).toEqual([delta('a'), delta('b')]);
  const none = createEventLog(() => undefined);
  none.end();
  expect([await none.first(), none.last()]).toEqual([null, null]);
});
