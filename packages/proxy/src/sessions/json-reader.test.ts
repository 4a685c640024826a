import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonReader, type FlatJson } from './json-reader.ts';

const runs = Number(process.env['PROVE_RUNS'] ?? 300);

function read(pieces: readonly string[]): unknown {
  const reader = new JsonReader();
  for (const piece of pieces) reader.push(piece);
  return plain(reader.end());
}

function plain(value: FlatJson): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, plain(one)]));
  return value;
}

/** The value with maps in place of objects. */
function withMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, one]) => [key, withMaps(one)]));
}

function cut(text: string, places: readonly number[]): string[] {
  const sorted = [
    0,
    ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b),
    text.length,
  ];
  return sorted.slice(1).map((end, at) => text.slice(sorted[at], end));
}

const leaf = fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null), fc.integer());
const body = fc.dictionary(fc.string(), fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf)));
const places = fc.array(fc.nat(), { maxLength: 8 });

describe('the reader of JSON in pieces', () => {
  it('the JSON reader accepts the same as JSON.parse, wherever a body is cut', () => {
    fc.assert(
      fc.property(body, places, fc.constantFrom(0, 2), (value, at, space) => {
        const text = JSON.stringify(value, null, space);
        expect(read(cut(text, at))).toEqual(withMaps(JSON.parse(text)));
      }),
      { numRuns: runs },
    );
  });

  it('the JSON reader refuses the same as JSON.parse, or reads the same', () => {
    fc.assert(
      fc.property(body, fc.nat(), fc.string({ maxLength: 3 }), places, (value, place, noise, at) => {
        const text = JSON.stringify(value);
        const damaged = `${text.slice(0, place % text.length)}${noise}${text.slice((place % text.length) + 1)}`;
        let right: unknown;
        try {
          right = { value: withMaps(JSON.parse(damaged)) };
        } catch {
          expect(() => read(cut(damaged, at))).toThrow(SyntaxError);
          return;
        }
        // A number alone at the end, or one level more, is no body of a session.
        try {
          expect({ value: read(cut(damaged, at)) }).toEqual(right);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
          expect(damaged).toMatch(/^[\s\d.+eE-]*$|(?:[[{].*){4}/s);
        }
      }),
      { numRuns: runs },
    );
  });
});
