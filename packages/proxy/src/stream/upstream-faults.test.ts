import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { InferenceClient, InferenceEvent } from '@vitrine/core';
import { fromLanguageModel, type LanguageModel } from '@vitrine/ai-sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Wire } from '../../../../tests/upstream/provider-stream.ts';
import { frame, writtenStreams } from '../../../../tests/upstream/provider-streams.ts';
import { type Behaviour, startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { clientOf, eventsOf, post, proveRuns, proxyOf } from './served.fixture.ts';
import type { StreamReport } from './stream-report.ts';
import { chunk } from '../../../../tests/upstream/chat-chunk.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const written = writtenStreams();
const answer = written.find(({ name }) => name === 'compatible-tool-call') ?? written[0];
const bytes = answer ? frame(answer) : '';
const statuses = [400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 422, 424, 425, 429, 431, 451];
const failures = [500, 501, 502, 503, 504, 507, 520, 521, 522, 524, 529];
const places = Array.from({ length: 14 }, (_, part) => Math.floor((bytes.length * part) / 15));
const bodies = [
  '',
  '\n',
  'data: {nope\n\n',
  'data: []\n\n',
  'data: null\n\n',
  '<html></html>',
  'data: [DONE]\n\n',
  '\u0000',
];

const faults: readonly (readonly [string, Behaviour])[] = [
  ...[...statuses, ...failures].map((status) => [`status ${status}`, { kind: 'status', status }] as const),
  ...places.map((to) => [`a cut at byte ${to}`, { kind: 'cut', body: bytes.slice(0, to) }] as const),
  ...places.map(
    (to) => [`an end at byte ${to}`, { kind: 'answer', body: bytes.slice(0, to), size: null }] as const,
  ),
  ...bodies.map(
    (body) => [`the body ${JSON.stringify(body)}`, { kind: 'answer', body, size: null }] as const,
  ),
  ['a hang', { kind: 'hang' }],
  ['a stall', { kind: 'stall', body: chunk('a') }],
  ['a stall within an event', { kind: 'stall', body: 'data: {"choices"' }],
];

/** The events of a proxy whose model is this client, with its reports. */
async function ask(
  client: InferenceClient,
  limits = { firstEventMs: 150, idleMs: 150 },
): Promise<{ events: InferenceEvent[]; reports: StreamReport[] }> {
  const reports: StreamReport[] = [];
  const proxy = proxyOf(client, { limits, onStreamEnd: (report) => reports.push(report) });
  const text = await (await proxy.fetch(post())).text();
  await new Promise((resolve) => setTimeout(resolve, 0));
  return { events: eventsOf(text), reports };
}

const ends = (events: readonly InferenceEvent[]): readonly InferenceEvent[] =>
  events.filter(({ type }) => type === 'finish' || type === 'error');

describe('an upstream with', () => {
  it.each(faults)(
    "%s ends the stream once, with a reason and without the error's text",
    async (_fault, behave) => {
      upstream.behave = behave;
      const { events, reports } = await ask(clientOf(upstream.url, 'sk-secret-canary'));
      expect(ends(events)).toEqual([events.at(-1)]);
      // A body that ends properly with too few events counts as finished for an unknown reason.
      if (events.at(-1)?.type === 'finish')
        expect(events.at(-1)).toMatchObject({
          finishReason: expect.stringMatching(/other|error|tool-calls/),
        });
      expect(JSON.stringify(events)).not.toContain('secret-canary');
      expect(reports).toHaveLength(1);
    },
  );
});

describe('an answer', () => {
  const whole = `${chunk('abc')}data: {"id":"x","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

  it.each(['cut', 'stall'] as const)(
    'an answer whose last event has arrived is complete in spite of a %s',
    async (kind) => {
      upstream.behave = { kind, body: whole };
      const { events, reports } = await ask(clientOf(upstream.url), {
        firstEventMs: 5000,
        idleMs: 5000,
      });
      expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
      expect(reports).toMatchObject([{ outcome: 'completed' }]);
    },
  );

  it('an answer that is cut before its last event is not complete', async () => {
    upstream.behave = { kind: 'cut', body: whole.replace('data: [DONE]\n\n', ': [DONE]\n\n') };
    const { events } = await ask(clientOf(upstream.url));
    expect(events.at(-1)?.type).toBe('error');
  });
});

it('the answer is tried with at least 59 faults', () => expect(faults.length).toBeGreaterThanOrEqual(59));

/** A model of a provider whose server always sends these bytes. */
function modelOf(wire: Wire, sent: Uint8Array<ArrayBuffer>): LanguageModel {
  const headers = { 'content-type': 'text/event-stream' };
  const settings = {
    apiKey: 'k',
    baseURL: 'http://localhost',
    fetch: async () => new Response(sent, { headers }),
  };
  if (wire === 'anthropic') return createAnthropic(settings)('m');
  if (wire === 'openai') return createOpenAI(settings).responses('m');
  if (wire === 'google') return createGoogleGenerativeAI(settings)('m');
  return createOpenAICompatible({ ...settings, name: 'p' }).chatModel('m');
}

/** Recorded bytes of which some are changed, left out, doubled or inserted. */
const malformed = fc
  .record({
    stream: fc.constantFrom(...written),
    changes: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        take: fc.integer({ min: 0, max: 40 }),
        put: fc.oneof(
          fc.constantFrom(
            '\n\n',
            '\r',
            'data: ',
            '{',
            '}',
            '"',
            '[]',
            'null',
            '\uFEFF',
            'data: [DONE]\n\n',
            '-1',
            '\\u0000',
          ),
          fc.string({ unit: 'binary', maxLength: 12 }),
        ),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ stream, changes }) => {
    let text = frame(stream);
    for (const { at, take, put } of changes) {
      const from = Math.floor(at * text.length);
      text = text.slice(0, from) + put + text.slice(from + take);
    }
    return { wire: stream.wire, sent: new TextEncoder().encode(text) };
  });

it('an answer that is malformed in any way ends once', { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(malformed, async ({ wire, sent }) => {
      const { events, reports } = await ask(fromLanguageModel(modelOf(wire, sent)));
      expect(ends(events)).toEqual([events.at(-1)]);
      expect(reports).toHaveLength(1);
    }),
    { numRuns: proveRuns(200, 'PROVE_STREAMS') },
  );
});
