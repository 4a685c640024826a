import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyJson, holdsFields, type JsonValue } from './json.ts';

const refuse = (path: string, what: string): Error => new Error(`${path || 'root'}: ${what}`);
const copy = <Value>(value: Value, maxDepth = 100): Value => copyJson(value, { maxDepth, refuse });

describe('the copy of a JSON value', () => {
  it('copyJson returns an equal value that shares no object with the original', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = copy(value);

        expect(JSON.stringify(json)).toBe(JSON.stringify(value));
        expect(shared(json, value)).toBe(false);
      }),
    );
  });

  it('copyJson leaves out undefined properties, and keeps one called __proto__', () => {
    expect(copy({ a: undefined, b: [{ c: undefined }] })).toStrictEqual({ b: [{}] });
    const text = '{"__proto__":{"admin":true}}';
    const json = copy(JSON.parse(text) as { admin?: boolean });
    expect(JSON.stringify(json)).toBe(text);
    expect(json.admin).toBeUndefined();
  });

  it.each([
    [{ a: [1, () => 1] }, 'a.1: expected JSON, found function'],
    [{ a: Number.NaN }, 'a: expected JSON, found NaN'],
    [[undefined], '0: expected JSON, found undefined'],
    [new Date(0), 'root: expected JSON, found an instance of a class'],
    [{ a: 5n }, 'a: expected JSON, found bigint'],
  ])('copyJson rejects a value that is no JSON: %o', (value, message) => {
    expect(() => copy<unknown>(value)).toThrow(message);
  });

  it('copyJson rejects a value nested too deep, or inside itself', () => {
    const nest = (depth: number): unknown => (depth === 0 ? 1 : { a: nest(depth - 1) });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;

    expect(copy(nest(3), 3)).toEqual(nest(3));
    expect(() => copy(nest(4), 3)).toThrow('a.a.a: it is nested deeper than 3 levels');
    expect(() => copy(circle)).toThrow('nested deeper than 100 levels');
  });
});

/** True when the two values share an object. */
function shared(a: unknown, b: unknown): boolean {
  const all = new Set<unknown>();
  walk(b, (object) => all.add(object));
  let found = false;
  walk(a, (object) => {
    found ||= all.has(object);
  });
  return found;
}

function walk(value: unknown, see: (object: object) => void): void {
  if (typeof value !== 'object' || value === null) return;
  see(value);
  for (const child of Object.values(value)) walk(child, see);
}

it('a value holds the fields of another one at any depth', () => {
  const whole = { to: { name: 'Ada', tags: ['a', 'b'] }, urgent: true };
  const parts: JsonValue[] = [
    whole,
    {},
    { urgent: true },
    { to: {} },
    { to: { name: 'Ada' } },
    { to: { tags: ['a', 'b'] } },
  ];
  expect(parts.filter((part) => !holdsFields(whole, part))).toEqual([]);
  const others: JsonValue[] = [
    'Ada',
    null,
    { urgent: 'true' },
    { from: {} },
    { urgent: {} },
    { to: { tags: ['a'] } },
  ];
  expect(others.filter((part) => holdsFields(whole, part))).toEqual([]);
  expect(holdsFields(undefined, {})).toBe(false);
  expect(holdsFields(['a'], { 0: 'a' })).toBe(false);
  let deep: JsonValue = 1;
  for (let level = 0; level < 20_000; level++) deep = { deep };
  expect(holdsFields(deep, deep)).toBe(true);
});
