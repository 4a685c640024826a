import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureJson } from './body.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((inner) => depthOf(inner)))
    : 0;
const longTextsOf = (value: unknown): number => {
  if (typeof value === 'string') {
    const { length } = JSON.stringify(value);
    return length > 1025 ? length - 1 : 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Array.isArray(value) ? value : Object.entries(value).flat();
  return entries.reduce<number>((sum, inner) => sum + longTextsOf(inner), 0);
};

describe('the measure of a text', () => {
  it('the measure of a JSON text matches its parsed value', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a', '\n', '😀'), maxLength: 20 }),
      fc.string({ unit: fc.constantFrom('\\', 'a', '['), minLength: 900, maxLength: 1200 }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        text,
        fc.integer(),
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (given, indent) => {
        expect(measureJson(JSON.stringify(given, null, indent))).toEqual({
          depth: depthOf(given),
          longTexts: longTextsOf(given),
        });
      }),
      { numRuns: 300 },
    );
  });

  it('the measure of a text that is no JSON exists', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{') }), (text) => {
        expect(measureJson(text).depth).toBeLessThanOrEqual(text.length);
      }),
    );
    expect(measureJson(']]]][[')).toEqual({ depth: 0, longTexts: 0 });
  });
});
