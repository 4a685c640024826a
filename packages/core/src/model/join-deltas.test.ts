import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InferenceEvent } from './inference-client.ts';
import { joinDeltas } from './proxy-inference-events.ts';

const finish: InferenceEvent = { type: 'finish', finishReason: 'stop', usage: {} as never };
const event: fc.Arbitrary<InferenceEvent> = fc.oneof(
  fc
    .record(
      {
        type: fc.constantFrom('text-delta', 'reasoning-delta'),
        delta: fc.string({ maxLength: 2 }),
        partId: fc.constantFrom('a', 'b'),
        providerMetadata: fc.constant({ p: { signature: 's' } }),
      },
      { requiredKeys: ['type', 'delta'] },
    )
    .map((given) => given as InferenceEvent),
  fc.record({
    type: fc.constant('tool-call-delta' as const),
    toolCallId: fc.constantFrom('c', 'd'),
    delta: fc.string({ maxLength: 2 }),
  }),
  fc.constant(finish),
);

/** The type of each part, and its content character by character. */
const characters = (events: readonly InferenceEvent[]): unknown[] =>
  events.flatMap((given): readonly unknown[] => {
    if (!('delta' in given) || 'providerMetadata' in given) return [given];
    const { delta, ...part } = given;
    return [...delta].map((character) => [part, character]);
  });

describe('deltas that arrive together', () => {
  it('deltas of one part are joined without a change of their text, with the position of the last', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const given = events.map((one, index) => ({ id: String(index), event: one, unknownType: '' }));
        const joined = joinDeltas(given);
        expect(characters(joined.map((one) => one.event!))).toEqual(characters(events));
        expect(joined.at(-1)?.id).toBe(given.at(-1)?.id);
        expect(joinDeltas(joined)).toEqual(joined);
      }),
    );
  });

  it('deltas are joined within a text, and separated by another part, another call, and provider metadata', () => {
    const text = (delta: string, more = {}): InferenceEvent => ({ type: 'text-delta', delta, ...more });
    const call = (toolCallId: string): InferenceEvent => ({
      type: 'tool-call-delta',
      toolCallId,
      delta: 'x',
    });
    const deltas = (...events: readonly InferenceEvent[]): unknown[] =>
      joinDeltas(events.map((one) => ({ id: null, event: one, unknownType: '' }))).map((one) =>
        one.event && 'delta' in one.event ? one.event.delta : one.unknownType,
      );
    expect(deltas(text('a'), text('b'), text('c'))).toEqual(['abc']);
    expect(deltas(text('a', { partId: '1' }), text('b', { partId: '2' }), text('c'))).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(deltas(call('1'), call('1'), call('2'))).toEqual(['xx', 'x']);
    expect(deltas(text('a'), text('', { providerMetadata: { s: 1 } }), text('b'))).toEqual(['a', '', 'b']);
    expect(joinDeltas([{ id: '1', event: null, unknownType: 'new' }])).toHaveLength(1);
  });
});
