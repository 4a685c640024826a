import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { of as usageOf } from '../graph/usage.ts';
import { unreported } from '../graph/usage-of-call.ts';
import type { FinishReason } from '../graph/inference-response.ts';
import { normalizeInferenceEvent } from './normalize-inference-event.ts';
import type { InferenceEvent } from './inference-client.ts';

const normal = (raw: unknown): InferenceEvent | null => normalizeInferenceEvent(raw);

describe('the normal form of a streamed event', () => {
  it.each([
    ['null', null],
    ['text', 'text-delta'],
    ['a list', [{ type: 'text-delta', delta: 'a' }]],
    ['an unknown type', { type: 'heartbeat' }],
    ['a type that every object has', { type: 'toString' }],
    ['a type that is no text', { type: ['finish'] }],
    ['a delta without text', { type: 'text-delta', delta: 5 }],
    ['thoughts without text', { type: 'reasoning-delta' }],
    ['arguments without text', { type: 'tool-call-delta', toolCallId: 'a', delta: {} }],
    ['a file without data and address', { type: 'file', mediaType: 'image/png', data: new Uint8Array(2) }],
  ])('normalizeInferenceEvent drops %s', (_title, raw) => {
    expect(normal(raw)).toBeNull();
  });

  it('normalizeInferenceEvent drops a value that throws when it is read', () => {
    const raw = {
      get type(): string {
        throw new Error('no');
      },
    };

    expect(normal(raw)).toBeNull();
  });

  it('normalizeInferenceEvent returns a plain text delta unchanged, without a copy', () => {
    const [plain, ofPart] = [
      { type: 'text-delta', delta: 'a' },
      { type: 'text-delta', delta: 'a', partId: '0' },
    ];

    expect(normal(plain)).toBe(plain);
    expect(normal(ofPart)).toBe(ofPart);
  });

  it('normalizeInferenceEvent drops unknown keys, and part ids and metadata of another shape', () => {
    const instance = new (class Meta {
      a = 1;
    })();

    expect(normal({ type: 'text-delta', delta: 'a', extra: () => 1 })).toStrictEqual({
      type: 'text-delta',
      delta: 'a',
    });
    expect(normal({ type: 'text-delta', delta: 'a', partId: 7 })).toStrictEqual({
      type: 'text-delta',
      delta: 'a',
    });
    for (const providerMetadata of [null, 'text', [1], instance, new Map()]) {
      expect(normal({ type: 'reasoning-delta', delta: '', providerMetadata })).toStrictEqual({
        type: 'reasoning-delta',
        delta: '',
      });
    }
  });

  it('normalizeInferenceEvent copies metadata, so that later changes by the client have no effect', () => {
    const providerMetadata = { openai: { itemId: 'rs_1', at: new Date(0) as unknown } };
    const event = normal({ type: 'reasoning-delta', delta: '', partId: 'r', providerMetadata });

    providerMetadata.openai.itemId = 'changed';

    expect(event).toStrictEqual({
      type: 'reasoning-delta',
      delta: '',
      partId: 'r',
      providerMetadata: { openai: { itemId: 'rs_1', at: '1970-01-01T00:00:00.000Z' } },
    });
  });

  it('normalizeInferenceEvent empties ids and names that are no text', () => {
    expect(normal({ type: 'start', id: 5 })).toStrictEqual({ type: 'start', id: null, model: null });
    expect(normal({ type: 'tool-call-start', toolCallId: null })).toStrictEqual({
      type: 'tool-call-start',
      toolCallId: '',
      toolName: '',
    });
    expect(normal({ type: 'source', url: 1, title: {} })).toStrictEqual({
      type: 'source',
      id: '',
      url: null,
      title: null,
    });
  });

  it('normalizeInferenceEvent keeps the input of a call as JSON: text stays text, none becomes no arguments', () => {
    const input = (value: unknown): unknown => {
      const event = normal({ type: 'tool-call', toolCallId: 'a', toolName: 'any tool', input: value });
      return event?.type === 'tool-call' ? event.input : null;
    };
    const args = { city: 'Oslo', at: new Date(0), skip: undefined };

    expect(input(args)).toStrictEqual({ city: 'Oslo', at: '1970-01-01T00:00:00.000Z' });
    expect(input('{"city":')).toBe('{"city":');
    expect(input(undefined)).toStrictEqual({});
    expect(input(null)).toBeNull();
    const event = normal({ type: 'tool-call', input: [] });
    expect(event).toStrictEqual({ type: 'tool-call', toolCallId: '', toolName: '', input: [] });
  });

  it('normalizeInferenceEvent gives a file a name or null, and a media type', () => {
    expect(normal({ type: 'file', url: 'https://a.example/b' })).toStrictEqual({
      type: 'file',
      mediaType: 'application/octet-stream',
      url: 'https://a.example/b',
      filename: null,
    });
    expect(
      normal({ type: 'file', mediaType: 'image/png', data: 'AA==', url: 5, filename: 'a.png' }),
    ).toStrictEqual({ type: 'file', mediaType: 'image/png', data: 'AA==', filename: 'a.png' });
  });

  it.each(['tool_use', 'STOP', '', null, undefined, 5])(
    'normalizeInferenceEvent reads %s as the finish reason other',
    (finishReason) => {
      expect(normal({ type: 'finish', finishReason })).toStrictEqual({
        type: 'finish',
        finishReason: 'other',
        usage: unreported,
      });
    },
  );

  it('normalizeInferenceEvent treats invalid usage figures as unknown', () => {
    const usage = (raw: unknown): unknown => {
      const event = normal({ type: 'finish', finishReason: 'stop', usage: raw });
      return event?.type === 'finish' ? event.usage : null;
    };

    expect(usage({ inputTokens: 10.4, outputTokens: 2.5 })).toStrictEqual({
      ...usageOf({ inputTokens: 10, outputTokens: 3 }),
      totalTokens: null,
    });
    expect(
      usage({ inputTokens: -1, outputTokens: Number.NaN, reasoningTokens: '7', totalTokens: -3 }),
    ).toStrictEqual(unreported);
    expect(usage({ inputTokens: 1, outputTokens: 2, totalTokens: 9, cost: 0.5 })).toStrictEqual(
      usageOf({ inputTokens: 1, outputTokens: 2, totalTokens: 9, cost: 0.5 }),
    );
    for (const cost of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1']) {
      expect(usage({ cost })).toStrictEqual(unreported);
    }
    expect(usage({ outputTokens: 1e300 })).toMatchObject({ outputTokens: Number.MAX_SAFE_INTEGER });
    for (const raw of [null, 5, 'many', []]) expect(usage(raw)).toStrictEqual(unreported);
  });

  it('normalizeInferenceEvent completes an error', () => {
    expect(normal({ type: 'error' })).toStrictEqual({
      type: 'error',
      code: 'upstream-error',
      message: 'The model provider reported an error without saying what it was.',
      retryable: false,
      retryAfterMs: null,
    });
    expect(
      normal({
        type: 'error',
        code: 'x',
        message: 'y',
        retryable: 1,
        retryAfterMs: Number.POSITIVE_INFINITY,
      }),
    ).toStrictEqual({ type: 'error', code: 'x', message: 'y', retryable: false, retryAfterMs: 2 ** 31 - 1 });
    expect(
      normal({ type: 'error', code: 'x', message: 'y', retryable: true, retryAfterMs: -5 }),
    ).toMatchObject({
      retryable: true,
      retryAfterMs: null,
    });
  });

  it('normalizeInferenceEvent returns equal events of every type, also a second time', () => {
    fc.assert(
      fc.property(events, (event) => {
        expect(normal(event)).toStrictEqual(event);
        expect(normal(normal(event))).toStrictEqual(event);
      }),
      { numRuns: 500 },
    );
  });

  it('normalizeInferenceEvent turns any value into a stable event, or drops it', () => {
    const types = fc.oneof(fc.constantFrom(...eventTypes), fc.string());
    const fields = fc.constantFrom(...fieldNames);
    const raw = fc
      .tuple(types, fc.dictionary(fields, anything))
      .map(([type, rest]): unknown => ({ ...rest, type }));
    fc.assert(
      fc.property(fc.oneof(raw, anything, fc.jsonValue()), (value) => {
        const event = normal(value);

        expect(JSON.parse(JSON.stringify(event))).toStrictEqual(event);
        expect(normal(event)).toStrictEqual(event);
      }),
      { numRuns: 1_000 },
    );
  });
});

const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });
const fieldNames =
  'id model delta partId providerMetadata toolCallId toolName input mediaType data url filename title finishReason usage code message retryable retryAfterMs'.split(
    ' ',
  );
const eventTypes: InferenceEvent['type'][] = [
  'start',
  'text-delta',
  'reasoning-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call',
  'file',
  'source',
  'finish',
  'error',
];

const text = fc.string();
const some = fc.string({ minLength: 1 });
const nullable = fc.option(text);
const count = fc.nat();
const providerMetadata = fc.dictionary(text, fc.jsonValue());
const delta = { delta: text, partId: text, providerMetadata };
const optional = { requiredKeys: ['type', 'delta'] as ['type', 'delta'] };
const reasons: FinishReason[] = ['stop', 'length', 'tool-calls', 'content-filter', 'error', 'other'];
const type = (name: InferenceEvent['type']): fc.Arbitrary<string> => fc.constant(name);

const usage = fc.record({
  inputTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  totalTokens: count,
  cost: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
});

/** Events as they come out of `JSON.parse`. */
const events: fc.Arbitrary<unknown> = fc
  .oneof(
    fc.record({ type: type('start'), id: nullable, model: nullable }),
    fc.record({ type: type('text-delta'), ...delta }, optional),
    fc.record({ type: type('reasoning-delta'), ...delta }, optional),
    fc.record({ type: type('tool-call-start'), toolCallId: text, toolName: text }),
    fc.record({ type: type('tool-call-delta'), toolCallId: text, delta: text }),
    fc.record({ type: type('tool-call'), toolCallId: text, toolName: text, input: fc.jsonValue() }),
    fc.record({ type: type('file'), mediaType: some, data: text, filename: nullable, providerMetadata }),
    fc.record({ type: type('file'), mediaType: some, url: text, filename: nullable }),
    fc.record({ type: type('source'), id: text, url: nullable, title: nullable }),
    fc.record({ type: type('finish'), finishReason: fc.constantFrom(...reasons), usage }),
    fc.record({
      type: type('error'),
      code: some,
      message: some,
      retryable: fc.boolean(),
      retryAfterMs: fc.option(count),
    }),
  )
  .map((event) => JSON.parse(JSON.stringify(event)));
