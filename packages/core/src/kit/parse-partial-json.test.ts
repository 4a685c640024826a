import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePartialJson } from './parse-partial-json.ts';

describe('JSON that is still coming in', () => {
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
  ])('%s', (text, value) => {
    expect(parsePartialJson(text)).toStrictEqual(value);
  });

  it('is the value itself when it is complete', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        expect(parsePartialJson(JSON.stringify(value, null, indent))).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it('can be read at any point, and a list never gets shorter', () => {
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
});
