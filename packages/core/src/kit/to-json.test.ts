import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJson, toJsonObject } from './to-json.ts';

class Point {
  readonly #x = 1;
  get x(): number {
    return this.#x;
  }
}

describe('the conversion of any value to JSON', () => {
  it.each([
    ['a Date by its toJSON', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a date that is none', new Date(Number.NaN), null],
    ['a URL by its toJSON', new URL('https://a.example/b'), 'https://a.example/b'],
    ['undefined', undefined, null],
    ['a function', () => 1, null],
    ['a symbol', Symbol('s'), null],
    ['properties that JSON drops', { a: undefined, b: () => 1, c: Symbol('c'), d: 1 }, { d: 1 }],
    ['such elements of an array', [undefined, () => 1, Symbol('c'), 1], [null, null, null, 1]],
    ['holes of an array', Array(2), [null, null]],
    ['NaN and Infinity', [Number.NaN, Number.POSITIVE_INFINITY, -0], [null, null, 0]],
    ['boxed primitives', [Object(1), Object('a'), Object(true), Object(5n)], [1, 'a', true, '[BigInt 5]']],
    ['a BigInt', { amount: 12n }, { amount: '[BigInt 12]' }],
    ['a Map', new Map([[1, 2]]), '[Map]'],
    ['a Set', { tags: new Set([1]) }, { tags: '[Set]' }],
    ['a typed array', new Uint8Array(3), '[Uint8Array]'],
    ['a buffer', new ArrayBuffer(3), '[ArrayBuffer]'],
    ['a regular expression', /a/, '[RegExp]'],
    ['a promise', Promise.resolve(1), '[Promise]'],
    ['an error', new TypeError('no route'), '[TypeError: no route]'],
    ['an instance without fields', new Point(), '[Point]'],
    ['an instance with fields', Object.assign(new Point(), { y: 2 }), { y: 2 }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('toJson copies %s', (_title, value, expected) => {
    expect(toJson(value)).toStrictEqual(expected);
  });

  it('toJson names values that throw when they are read, and keeps the rest', () => {
    const value = {
      get price(): number {
        throw new Error('no price');
      },
      when: {
        toJSON: () => {
          throw new Error('no time');
        },
      },
      gone: createRevoked(),
      rest: 1,
    };

    expect(toJson(value)).toEqual({
      price: '[Unreadable]',
      when: '[Unreadable]',
      gone: '[Unreadable]',
      rest: 1,
    });
  });

  it('toJson names a cycle, and copies a value that merely appears twice', () => {
    const shared = { a: 1 };
    const value: Record<string, unknown> = { one: shared, two: [shared] };
    value['self'] = { above: value };

    const json = toJson(value) as Record<string, unknown>;

    expect(json).toEqual({ one: { a: 1 }, two: [{ a: 1 }], self: { above: '[Circular]' } });
    expect(json['one']).not.toBe(shared);
  });

  it('toJson cuts values nested deeper than the limit', () => {
    const nest = (depth: number): unknown => (depth === 0 ? 'core' : [nest(depth - 1)]);

    expect(toJson(nest(100))).toEqual(nest(100));
    expect(JSON.stringify(toJson(nest(101)))).toContain('[["[Too deep]"]]');
    expect(JSON.stringify(toJson(nest(3_000)))).toHaveLength(2 * 100 + '"[Too deep]"'.length);
    expect(toJson({ a: { b: {} } }, { maxDepth: 2 })).toEqual({ a: { b: '[Too deep]' } });
    const endless = (): object => ({ toJSON: () => ({ next: endless() }) });
    expect(JSON.stringify(toJson(endless()))).toContain('[Too deep]');
  });

  it('toJson cuts values beyond the limit of their number, and ends with endless ones', () => {
    let doubled: unknown = 'x';
    for (let level = 0; level < 60; level++) doubled = [doubled, doubled];

    expect(toJson([1, 2, 3, 4], { maxValues: 3 })).toEqual([1, 2, '[Too large]']);
    expect(toJson({ a: 1, b: 2, c: 3, d: 4 }, { maxValues: 3 })).toEqual({ a: 1, b: 2, c: '[Too large]' });
    expect(toJson({ a: [1, 2], b: 2, c: 3 }, { maxValues: 3 })).toEqual({
      a: [1, '[Too large]'],
      b: '[Too large]',
    });
    expect(JSON.stringify(toJson(doubled, { maxValues: 1_000 })).length).toBeLessThan(10_000);
    expect(toJson(Array(4_000_000_000), { maxValues: 2 })).toEqual([null, '[Too large]']);
  });

  it('toJson keeps a property called __proto__ as a property', () => {
    const json = toJson(JSON.parse('{"__proto__":{"admin":true},"constructor":1}')) as { admin?: unknown };

    expect(json.admin).toBeUndefined();
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
    expect(JSON.stringify(json)).toBe('{"__proto__":{"admin":true},"constructor":1}');
  });

  it('toJson returns JSON that equals its own round trip, for any value', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const json = toJson(value);

        expect(JSON.parse(JSON.stringify(json))).toStrictEqual(json);
        expect(toJson(json)).toStrictEqual(json);
      }),
      { numRuns: 500 },
    );
  });

  it('toJson returns an equal value when a cut value is converted again', () => {
    fc.assert(
      fc.property(
        anything,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 30 }),
        (value, maxDepth, maxValues) => {
          const json = toJson(value, { maxDepth, maxValues });

          expect(toJson(json, { maxDepth, maxValues })).toStrictEqual(json);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('toJson copies plain JSON unchanged and shares nothing with it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const given = JSON.stringify(value);
        const json = toJson(value);

        expect(JSON.stringify(json)).toBe(given);
        scribble(json);
        expect(JSON.stringify(value)).toBe(given);
      }),
    );
  });

  it('toJson agrees with JSON.stringify on all that it can write', () => {
    const plain = fc.anything({
      withDate: true,
      withBoxedValues: true,
      withNullPrototype: true,
      withSparseArray: true,
    });
    fc.assert(
      fc.property(plain, (value) => {
        const text = JSON.stringify(value) as string | undefined;

        expect(toJson(value)).toStrictEqual(text === undefined ? null : JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the conversion to a JSON object', () => {
  it('toJsonObject returns an object, and an empty one for other values', () => {
    expect(toJsonObject({ at: new Date(0) })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    for (const value of [null, 'text', [1], new Map(), undefined, 5n])
      expect(toJsonObject(value)).toEqual({});
  });
});

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
});

function createRevoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Changes every object of the value. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const child of Object.values(value)) scribble(child);
  Object.assign(value, { scribble: true });
}
