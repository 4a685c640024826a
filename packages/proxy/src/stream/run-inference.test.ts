import { type InferenceClient, type InferenceEvent, Usage } from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { describe, expect, it, vi } from 'vitest';
import { memoryStreamLog } from './memory-stream-log.ts';
import { runInference, watchAttendance } from './run-inference.ts';
import { delta, puppet } from './served.fixture.ts';
import { numbersFrom } from '../kit/env-record.ts';
import { type StreamLimits, streamLimits, streamLimitVariables } from './stream-limits.ts';
import type { StreamLog } from './stream-log.ts';
import type { StreamReport } from './stream-report.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

const finish: InferenceEvent = { type: 'finish', finishReason: 'stop', usage: Usage.of({ outputTokens: 3 }) };

/** Runs a client to the end of its stream, with a constant reader. */
async function run(
  client: InferenceClient,
  limits: Partial<StreamLimits> = {},
  log: StreamLog = memoryStreamLog(),
): Promise<{ events: InferenceEvent[]; reports: StreamReport[] }> {
  const reports: StreamReport[] = [];
  await log.create('s', { ownerId: 'ada', leaseMs: 60_000 });
  await log.attend('s', 'reader', 60_000);
  const { took } = runInference({
    log,
    id: 's',
    ownerId: 'ada',
    client,
    request,
    expected: Usage.of({ inputTokens: 100, outputTokens: 50 }),
    price: null,
    limits: streamLimits(limits),
    onGrow: () => undefined,
    readersHere: () => 1,
    onEnd: (report) => reports.push(report),
  });
  const taking = setInterval(() => took(1_000_000), 1);
  await vi.waitFor(() => expect(reports).toHaveLength(1), { timeout: 5000 });
  clearInterval(taking);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const page = await log.read('s', null);
  const entries = typeof page === 'string' ? [] : page.entries;
  return { events: entries.map(({ data }) => JSON.parse(data) as InferenceEvent), reports };
}

/** A client that gives these events. */
const saying = (...events: InferenceEvent[]): InferenceClient => ({
  async *stream() {
    yield* events;
  },
});

function nest(depth: number): never {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value as never;
}

describe('a stream ends with one last event and one report', () => {
  it.each<[string, InferenceClient, Partial<StreamLimits>, object]>([
    ['when its upstream has finished', saying(delta('a'), finish), {}, finish],
    ['when more comes behind that', saying(delta('a'), finish, delta('b'), finish), {}, finish],
    ['when its upstream just stops', saying(delta('a')), {}, { code: 'stream-incomplete', retryable: true }],
    ['when it says nothing at all', saying(), {}, { code: 'stream-incomplete' }],
    [
      'when its upstream hangs',
      puppet(),
      { firstEventMs: 40 },
      { code: 'upstream-timeout', retryable: true },
    ],
    [
      'when its upstream falls silent',
      {
        async *stream(_asked, { signal }) {
          yield delta('a');
          yield* puppet().stream(request, { signal });
        },
      },
      { idleMs: 40 },
      { code: 'upstream-timeout' },
    ],
    [
      'when it takes too long in all',
      {
        async *stream() {
          for (;;) {
            await new Promise((resolve) => setTimeout(resolve, 5));
            yield delta('a');
          }
        },
      },
      { totalMs: 100 },
      { code: 'upstream-timeout', message: expect.stringContaining('0.1 s') },
    ],
    [
      'when one event is too large',
      saying(delta('x'.repeat(5000)), finish),
      { frameBytes: 4000 },
      { code: 'stream-malformed', retryable: false },
    ],
    [
      'when all together are too large',
      {
        async *stream() {
          for (;;) yield delta('x'.repeat(100));
        },
      },
      { streamBytes: 20_000 },
      { code: 'stream-too-long', retryable: false },
    ],
    [
      'when an event is too deep to be written',
      saying({ type: 'tool-call', toolCallId: 'c', toolName: 't', input: nest(100_000) }),
      {},
      { code: 'stream-malformed' },
    ],
    [
      'when its upstream throws',
      {
        // oxlint-disable-next-line require-yield -- that is the case
        async *stream() {
          throw new Error('sk-secret-canary');
        },
      },
      {},
      { code: 'upstream-error', message: 'The model could not be called.' },
    ],
  ])('%s', async (_what, client, limits, last) => {
    const { events, reports } = await run(client, limits);
    const ends = events.filter(({ type }) => type === 'finish' || type === 'error');
    expect(ends).toHaveLength(1);
    expect(events.at(-1)).toMatchObject(last);
    expect(JSON.stringify([events, reports])).not.toContain('canary');
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({ id: 's', ownerId: 'ada', ms: expect.any(Number) });
  });
});

it('an answer whose end could not be stored is reported as failed, not as cancelled', async () => {
  const log = memoryStreamLog();
  const append: StreamLog['append'] = async (id, entries, options) => {
    if (options?.ends) throw new Error('connection lost');
    return log.append(id, entries, options);
  };
  const failed = { outcome: 'failed', code: 'stream-incomplete', usage: { outputTokens: 3 } };
  expect((await run(saying(delta('a'), finish), {}, { ...log, append })).reports).toMatchObject([failed]);

  const hanging = { ...log, append: () => new Promise<never>(() => undefined) };
  const limits = { leaseMs: 50 };
  expect((await run(saying(delta('a'), finish), limits, hanging)).reports).toMatchObject([failed]);
});

it('a stream without limits of time runs to its end and is kept', async () => {
  const slow: InferenceClient = {
    async *stream() {
      for (const event of [delta('a'), delta('b'), finish]) {
        await new Promise((resolve) => setTimeout(resolve, 30));
        yield event;
      }
    },
  };
  const limits = { firstEventMs: Infinity, idleMs: Infinity, totalMs: Infinity, resumeGraceMs: Infinity };
  const endless = { ...limits, finishedMs: Infinity };
  const { events } = await run(slow, endless, memoryStreamLog({ finishedMs: Infinity }));
  expect(events).toEqual([delta('a'), delta('b'), finish]);
});

it('a report has the usage of the provider, or the whole reservation, and says which', async () => {
  const told = await run(saying(delta('abcdefgh'), finish));
  expect(told.reports).toMatchObject([{ outcome: 'completed', code: null, isEstimated: false, events: 2 }]);
  expect(told.reports[0]?.usage.outputTokens).toBe(3);
  const broken = await run(saying(delta('abcdef')));
  expect(broken.reports).toMatchObject([
    {
      outcome: 'failed',
      code: 'stream-incomplete',
      isEstimated: true,
      usage: { inputTokens: 100, outputTokens: 50 },
    },
  ]);
  const uncounted = await run(saying(delta('abcdef'), { ...finish, usage: Usage.none() }));
  expect(uncounted.reports).toMatchObject([
    { outcome: 'completed', isEstimated: true, usage: { inputTokens: 100, outputTokens: 50 } },
  ]);
  const half = await run(saying(delta('abc'), { ...finish, usage: Usage.of({ inputTokens: 7 }) }));
  expect(half.reports).toMatchObject([{ isEstimated: true, usage: { inputTokens: 100, outputTokens: 50 } }]);
  const unheard = await run(saying());
  expect(unheard.reports).toMatchObject([
    { outcome: 'failed', isEstimated: true, usage: { inputTokens: 100, outputTokens: 50 } },
  ]);
  const longer = await run(saying(delta('x'.repeat(3000))));
  expect(longer.reports[0]?.usage).toMatchObject({ outputTokens: 1000, totalTokens: 1100 });
});

it.each([
  ['a thought that is longer than the first event may take', puppet(), { firstEventMs: 40 }],
  ['a call that takes too long in all', puppet(), { totalMs: 40 }],
] as const)('%s costs the whole reservation', async (_what, client, limits) => {
  const { reports } = await run(client, limits);
  expect(reports).toMatchObject([{ isEstimated: true, usage: { inputTokens: 100, outputTokens: 50 } }]);
});

const failing = (error: unknown): InferenceClient =>
  fromLanguageModel({ provider: 'p', modelId: 'm', doStream: () => Promise.reject(error) });
const failed = (statusCode: number): Error => Object.assign(new Error('failed'), { statusCode });
const broken = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

it.each([
  ...[302, 400, 401, 402, 404, 408, 422, 429, 502, 503, 504, 529].map(
    (status) => [failed(status), 'nothing'] as const,
  ),
  ...[500, 501, 524].map((status) => [failed(status), 'its input'] as const),
  ...['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT'].map(
    (code) => [broken(code), 'nothing'] as const,
  ),
  ...['ECONNRESET', 'UND_ERR_SOCKET'].map((code) => [broken(code), 'its input'] as const),
  [broken('UND_ERR_HEADERS_TIMEOUT'), 'the whole reservation'] as const,
])('a call that fails at once with %o costs %s', async (error, share) => {
  const { reports } = await run(failing(error));
  const all = Usage.of({ inputTokens: 100, outputTokens: 50 });
  const shares = {
    nothing: Usage.none(),
    'its input': Usage.of({ inputTokens: 100 }),
    'the whole reservation': all,
  };
  expect(reports[0]?.usage).toEqual(shares[share]);
});

it.each([
  ['refuses a call', failed(429), 0],
  ['may have begun an answer', failed(500), 100],
])(
  'a client that %s and throws, in place of telling an error, costs as one that tells it',
  async (_what, error, inputTokens) => {
    const throwing: InferenceClient = {
      // oxlint-disable-next-line require-yield -- that is the case
      async *stream() {
        throw error;
      },
    };
    expect((await run(throwing)).reports[0]?.usage).toEqual(Usage.of({ inputTokens }));
  },
);

it('events of one tick are written together, the last one with those before it', async () => {
  const log = memoryStreamLog();
  const append = vi.fn(log.append);
  const many = Array.from({ length: 500 }, (_, number) => delta(`${number}`));
  const { events } = await run(saying(...many, finish), {}, { ...log, append });
  expect(events).toEqual([...many, finish]);
  expect(append.mock.calls.length).toBeLessThan(20);
});

it.each(['append', 'renew'] as const)(
  'an upstream ends soon after its log is away, noticed by %s',
  async (method) => {
    const log = memoryStreamLog();
    let isAway = false;
    const away: StreamLog = {
      ...log,
      [method]: (...args: never[]) =>
        isAway ? Promise.reject(new Error('away')) : (log[method] as (...all: never[]) => unknown)(...args),
    };
    const model = puppet();
    const running = run(model, { leaseMs: 120 }, away);
    model.say(delta('a'));
    await vi.waitFor(() => expect(model.open()).toBe(1));
    isAway = true;
    if (method === 'append') model.say(delta('b'));
    await vi.waitFor(() => expect(model.open()).toBe(0), { timeout: 2000 });
    expect((await running).reports).toMatchObject([{ outcome: 'failed', code: 'stream-incomplete' }]);
  },
);

it('the limits of streams come from the environment or the defaults, and must be numbers', () => {
  const env = { VITRINE_TOTAL_MS: '5000', VITRINE_IDLE_MS: ' 70 ', VITRINE_STREAM_BYTES: ' ' };
  expect(numbersFrom(env, streamLimitVariables)).toEqual({ totalMs: 5000, idleMs: 70 });
  expect(streamLimits({ totalMs: 5000 })).toMatchObject({
    totalMs: 5000,
    firstEventMs: 120_000,
    idleMs: 60_000,
  });
  expect(() => streamLimits(numbersFrom({ VITRINE_IDLE_MS: '-1' }, streamLimitVariables))).toThrow(
    /idleMs \(VITRINE_IDLE_MS\) is -1; give a number from 0 on/,
  );
  expect(() => numbersFrom({ VITRINE_FRAME_BYTES: 'many' }, streamLimitVariables)).toThrow(
    'VITRINE_FRAME_BYTES is "many"; give a number.',
  );
  expect(() => streamLimits({ leaseMs: 0 })).toThrow(
    /leaseMs \(VITRINE_LEASE_MS\) is 0; give a number above 0/,
  );
});

it('an upstream without a reader goes on for as long as a phone may be locked', async () => {
  vi.useFakeTimers();
  try {
    const log = memoryStreamLog();
    await log.create('s', { ownerId: 'ada', leaseMs: 600_000 });
    let isUnread = false;
    const nothing = (): void => undefined;
    const listener = { onReaders: nothing, onEnded: nothing, onLost: nothing };
    const stop = watchAttendance(log, 's', streamLimits(), {
      ...listener,
      onUnread: () => (isUnread = true),
    });
    await vi.advanceTimersByTimeAsync(119_000);
    expect(isUnread).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(isUnread).toBe(true);
    stop();
  } finally {
    vi.useRealTimers();
  }
});
