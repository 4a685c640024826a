import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type Check,
  either,
  type Fault,
  json,
  list,
  literal,
  nullable,
  number,
  object,
  ofDocument,
  optional,
  or,
  pathOf,
  record,
  self,
  text,
  tuple,
  union,
} from './check.ts';

type Shape =
  | { readonly type: 'dot'; readonly at: number }
  | { readonly type: 'line'; readonly points: readonly number[] };
type Tree = { readonly name: string; readonly note?: string; readonly child: Tree | null };

const shape = union<Shape>({
  dot: object({ type: literal('dot'), at: number }),
  line: object({ type: literal('line'), points: list(number) }),
});
const tree: Check<Tree> = object<Tree>({
  name: text,
  note: optional(text),
  child: or(
    self(() => tree),
    null,
  ),
});

const said = (fault: Fault | null): string | null => fault && `${pathOf(fault)}: ${fault.what}`;
const inMemory = (check: Check<never>, value: unknown): string | null => said(check(value, 0));

describe('a check of unknown data', () => {
  it.each<[string, Check<never>, unknown, string]>([
    ['a list with a wrong item', list(number) as never, [1, '2'], '1: expected a number'],
    ['a list with a hole', list(text) as never, Array(2), '0: expected text'],
    ['a missing field', tree as never, {}, 'name: expected text'],
    ['an undefined value of a usual field', tree as never, { name: 'a' }, 'child: expected an object'],
    ['a wrong optional field', tree as never, { name: 'a', note: 1, child: null }, 'note: expected text'],
    [
      'a value of its own kind',
      tree as never,
      { name: 'a', child: { name: 'b', child: { name: 3, child: null } } },
      'child.child.name: expected text',
    ],
    ['an unknown type', shape as never, { type: 'toString' }, 'type: expected "dot" or "line"'],
    [
      'a type with a wrong field',
      shape as never,
      { type: 'line', points: [0, null] },
      'points.1: expected a number',
    ],
    ['a list of another length', tuple(text, number) as never, ['a'], ': expected a list of 2'],
    ['a wrong value of a record', record(number) as never, { a: 1, b: {} }, 'b: expected a number'],
    ['an instance of a class', record(number) as never, new Map(), ': expected an object'],
    ['neither of two kinds', either(text, shape) as never, { type: 'dot', at: '' }, 'at: expected a number'],
    ['NaN', number as never, Number.NaN, ': expected a number'],
    ['a function in JSON', json as never, { a: [() => 1] }, ': expected JSON'],
  ])('a check names the place of %s', (_title, check, value, fault) => {
    expect(inMemory(check, value)).toBe(fault);
  });

  it('a check reads no field from a prototype, and a key `__proto__` as any other', () => {
    expect(inMemory(tree as never, Object.create({ name: 'a', child: null }))).toBe(': expected an object');
    const stored: unknown = JSON.parse('{"__proto__":{"name":"a","child":null}}');
    expect(inMemory(tree as never, stored)).toBe('name: expected text');
    expect(inMemory(record(number) as never, JSON.parse('{"__proto__":"a"}'))).toBe(
      '__proto__: expected a number',
    );
    expect(inMemory(shape as never, JSON.parse('{"type":"__proto__"}'))).toMatch(/^type/);
  });

  it('a document may lack its usual fields, and a value of an event may not', () => {
    expect(said(tree({ name: 'a' }, ofDocument))).toBeNull();
    expect(said(tree({}, ofDocument))).toBe('name: expected text');
    expect(said(tree({ name: 'a', child: null }, 0))).toBeNull();
  });

  it('a value that contains itself is rejected, without an overflow of the stack', () => {
    const circle: { name: string; child?: unknown } = { name: 'a' };
    circle.child = circle;
    expect(said(tree(circle, 0))).toMatch(/^child\.child\..*: it is nested too deep$/);
  });

  it('a check accepts a value exactly when it has the fields, whatever else it has', () => {
    const fields = fc.record(
      {
        name: fc.oneof(fc.string(), fc.anything()),
        note: fc.oneof(fc.string(), fc.constant(undefined), fc.anything()),
        child: fc.oneof(fc.constant(null), fc.constant({ name: 'b', child: null }), fc.anything()),
        other: fc.anything(),
      },
      { requiredKeys: [] },
    );
    const isTree = (value: unknown): boolean => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== null && prototype !== Object.prototype) return false;
      const { name, note, child } = value as { [key: string]: unknown };
      if (typeof name !== 'string' || (note !== undefined && typeof note !== 'string')) return false;
      return child === null || isTree(child);
    };
    fc.assert(
      fc.property(fc.oneof(fields, fc.anything()), (value) => {
        expect(tree(value, 0) === null).toBe(isTree(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('the compiler infers the type of a check, and asks for every field of a noun', () => {
    const inferred = list(tuple(text, nullable(number)));
    expectTypeOf(inferred).toEqualTypeOf<Check<readonly (readonly [string, number | null])[]>>();
    // @ts-expect-error -- the field `child` is missing
    object<Tree>({ name: text, note: optional(text) });
    // @ts-expect-error -- the field `name` is no number
    object<Tree>({ name: number, note: optional(text), child: or(tree, null) });
    // @ts-expect-error -- a required field may not be optional
    object<Tree>({ name: optional(text), note: optional(text), child: or(tree, null) });
    // @ts-expect-error -- a type is missing
    union<Shape>({ dot: object({ type: literal('dot'), at: number }) });
    // @ts-expect-error -- a value of the type is missing
    object<{ readonly size: 'small' | 'large' }>({ size: literal('small') });
  });
});
