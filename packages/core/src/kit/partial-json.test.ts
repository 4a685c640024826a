import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json.ts';
import { createPartialJsonReader, parsePartialJson, readModelJson } from './partial-json.ts';
import { workUnits } from './work.ts';

describe('the JSON of a model', () => {
  it.each<[string, JsonValue]>([
    ['{"a":1,}', { a: 1 }],
    ['[1,2,]', [1, 2]],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['{"a":"b\nc"}', { a: 'b\nc' }],
    ['{"a":True,"b":None}', { a: true, b: null }],
    ['{}{"a":1}', { a: 1 }],
    ['{"a":1} {"a":1}', { a: 1 }],
    ['17', 17],
  ])('%s is read as what it means', (text, value) => {
    expect(readModelJson(text)).toStrictEqual({ ok: true, value });
  });

  it.each([
    ['{"a":[1', 7],
    ['{"a":"b', 7],
    ['{"a" 1}', 5],
    ['{"a":1}{"a":2}', 7],
    ['{"a":1} and more', 7],
    ['hello', 0],
    ['', 0],
  ])('%j is no whole JSON, from character %i on', (text, at) => {
    expect(readModelJson(text)).toStrictEqual({ ok: false, at });
  });

  it('a text of strict JSON gives its value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(readModelJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('a text that breaks off is never read as a whole object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        expect(readModelJson(text.slice(0, cut % text.length)).ok).toBe(false);
      }),
    );
  });
});

describe('JSON that is still streaming', () => {
  it.each([
    ['', undefined],
    ['  ', undefined],
    ['{', {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a": tr', {}],
    ['{"a":true', { a: true }],
    ['{"a":[1,{"b":"c', { a: [1, { b: 'c' }] }],
    ['["x\\', ['x']],
    ['["x\\u00e', ['x']],
    ['["x\\u00e9', ['xé']],
    ['[1,2.', [1, 2]],
    ['[1e', [1]],
    ['[-', []],
    ['"text', 'text'],
    ['not json', undefined],
    ['{"__proto__": {"a": 1}', JSON.parse('{"__proto__": {"a": 1}}')],
  ])('partial JSON is read: %s', (text, value) => {
    expect(parsePartialJson(text)).toStrictEqual(value);
  });

  it('a complete JSON text gives its value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        expect(parsePartialJson(JSON.stringify(value, null, indent))).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it('a JSON text can be read at any point, and a list never becomes shorter', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }), (list) => {
        const text = JSON.stringify(list);
        let length = 0;
        for (let end = 1; end <= text.length; end++) {
          const value = parsePartialJson(text.slice(0, end)) as unknown[];
          if (value.length < length) expect.fail(text.slice(0, end));
          length = value.length;
        }
      }),
    );
  });

  it.each([6_000, 1_000_000])('a text of %d opening brackets is read up to the depth limit', (count) => {
    expect(depthOf(parsePartialJson('['.repeat(count)))).toBe(100);
    expect(depthOf(parsePartialJson('{"a":'.repeat(count)))).toBe(100);
  });

  it.each([
    ['```json\n{"a": [1', { a: [1] }],
    ['\n\n```\n[1, 2]\n```\n', [1, 2]],
    ['```js', undefined],
    [`\`\`\`${'\n'.repeat(50)}[1`, [1]],
    ['`[1]', undefined],
    ['["a\nb', ['a\nb']],
    ['["a\\x", 1]', ['a']],
  ])('the text %j is read as %j', (text, value) => {
    expect(parsePartialJson(text)).toStrictEqual(value);
  });

  it('a growing text gives at every length the value that the same text gives at once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }), (json, steps) => {
        const text = JSON.stringify(json, null, 1);
        const reader = createPartialJsonReader();
        for (let end = 0, turn = 0; end < text.length; turn++) {
          end += 1 + (steps[turn % steps.length] as number);
          reader.read(text.slice(0, end));
          expect(reader.value()).toStrictEqual(parsePartialJson(text.slice(0, end)));
        }
      }),
    );
  });

  const growing: readonly (readonly [string, (size: number) => string])[] = [
    ['one text', (size) => `{"text": "${'a'.repeat(size)}`],
    ['escapes', (size) => `["${'\\n'.repeat(size / 2)}`],
    ['a flat list of numbers', (size) => `[${'1,'.repeat(size / 2)}`],
    ['a list of objects', (size) => `[${'{"id": 1, "n": "b"},'.repeat(size / 20)}`],
    ['lists within lists', (size) => '[[[1],'.repeat(size / 6)],
    ['keys', (size) => `{${'"a": 1,'.repeat(size / 7)}`],
    ['blanks', (size) => `[${' '.repeat(size)}`],
    ['a fence and many newlines', (size) => `\`\`\`${'\n'.repeat(size)}`],
  ];
  it.each(growing)(
    'reading %s as it streams costs twice the units when it is twice as long',
    (_what, make) => {
      const unitsOf = (size: number): number => {
        const text = make(size);
        const before = workUnits();
        const reader = createPartialJsonReader();
        for (let end = 20; end <= text.length; end += 20) {
          reader.read(text.slice(0, end));
          reader.value();
        }
        return workUnits() - before;
      };
      expect(unitsOf(200_000)).toBeLessThan(2.2 * unitsOf(100_000));
      expect(unitsOf(200_000)).toBeLessThan(64 * 200_000);
    },
  );
});

function depthOf(value: JsonValue | undefined): number {
  let depth = 0;
  for (let inner: unknown = value; typeof inner === 'object' && inner !== null; depth++)
    [inner] = Object.values(inner);
  return depth;
}
