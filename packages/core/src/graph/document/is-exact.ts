import type * as z from 'zod/mini';
import { memoize } from '../../kit/memoize.ts';

type Test = (value: unknown) => boolean;
type Def = z.core.$ZodTypes['_zod']['def'];

/**
 * True when the schema would return an equal value, found in a third of the time and without a copy. False is no
 * verdict: there may be an extra field or a check that only the schema can run, so ask the schema. For JSON.
 */
export function isExact(schema: z.core.$ZodType, value: unknown): boolean {
  return testOf(schema)(value);
}

const testOf: (schema: z.core.$ZodType) => Test = memoize((schema) => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const test = testOfDef(def);
  const checks = (def.checks ?? []).map(testOfCheck);
  return checks.length === 0 ? test : (value) => test(value) && checks.every((check) => check(value));
});

const never: Test = () => false;

function testOfDef(def: Def): Test {
  switch (def.type) {
    case 'object':
      return objectTest(def);
    case 'array':
      return arrayTest(def);
    case 'tuple':
      return tupleTest(def);
    case 'union':
      return unionTest(def);
    case 'optional':
      return testOf(def.innerType);
    case 'nullable':
      return nullableTest(def);
    case 'literal':
      return (value) => (def.values as readonly unknown[]).includes(value);
    case 'enum':
      return memberTest(Object.values(def.entries));
    case 'custom':
      return testOfCheck({ _zod: { def } });
    default:
      return plainTest(def);
  }
}

function plainTest(def: Def): Test {
  if (def.type === 'string') return 'format' in def ? never : (value) => typeof value === 'string';
  if (def.type === 'boolean') return (value) => typeof value === 'boolean';
  if (def.type === 'unknown') return (value) => value !== undefined;
  if (def.type !== 'number') return never;
  if (!('format' in def)) return Number.isFinite;
  return def.format === 'safeint' ? Number.isSafeInteger : never;
}

type Check = { readonly _zod: { readonly def: object } };
type CheckDef = {
  readonly check?: string;
  readonly fn?: (value: unknown) => unknown;
  readonly value?: unknown;
  readonly inclusive?: boolean;
};

function testOfCheck(check: Check): Test {
  const { check: kind, fn, value: least, inclusive }: CheckDef = check._zod.def;
  if (kind === 'custom' && fn !== undefined) return (value) => Boolean(fn(value));
  if (kind !== 'greater_than' || inclusive !== true || typeof least !== 'number') return never;
  return (value) => typeof value === 'number' && value >= least;
}

function objectTest({ shape, catchall }: z.core.$ZodObjectDef): Test {
  const others = catchall === undefined ? never : testOf(catchall);
  // Created on first use, because an object may contain another one of its kind.
  let fields: ReadonlyMap<string, Field> | null = null;
  let required = 0;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    if (fields === null) {
      fields = fieldsOf(shape);
      for (const { isRequired } of fields.values()) required += isRequired ? 1 : 0;
    }
    let missing = required;
    for (const key in value) {
      const field = fields.get(key);
      const child = (value as { readonly [key: string]: unknown })[key];
      if (key === '__proto__' || !(field === undefined ? others(child) : field.test(child))) return false;
      if (field?.isRequired) missing--;
    }
    return missing === 0;
  };
}

type Field = { readonly test: Test; readonly isRequired: boolean };

function fieldsOf(shape: z.core.$ZodShape): ReadonlyMap<string, Field> {
  return new Map(
    Object.entries(shape).map(([key, schema]) => [
      key,
      { test: testOf(schema), isRequired: schema._zod.optin === undefined },
    ]),
  );
}

function arrayTest({ element }: z.core.$ZodArrayDef): Test {
  const test = testOf(element);
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!test(item)) return false;
    return true;
  };
}

function tupleTest({ items, rest }: z.core.$ZodTupleDef): Test {
  if (rest !== null) return never;
  const tests = items.map(testOf);
  return (value) =>
    Array.isArray(value) &&
    value.length === tests.length &&
    tests.every((test, index) => test((value as readonly unknown[])[index]));
}

function nullableTest({ innerType }: z.core.$ZodNullableDef): Test {
  const test = testOf(innerType);
  return (value) => value === null || test(value);
}

function memberTest(values: readonly unknown[]): Test {
  const known = new Set(values);
  return (value) => known.has(value);
}

/**
 * Tests a union. Of several objects only discriminated ones are tested: otherwise the first that fits would win, with
 * fewer fields.
 */
function unionTest(def: z.core.$ZodUnionDef & { readonly discriminator?: string }): Test {
  const { options, discriminator } = def;
  if (discriminator === undefined) {
    const tests = options.map(testOf);
    const objects = options.filter((option) => (option as z.core.$ZodTypes)._zod.def.type === 'object');
    return objects.length > 1 ? never : (value) => tests.some((test) => test(value));
  }
  const byName = new Map<unknown, Test>();
  for (const option of options)
    for (const name of option._zod.propValues?.[discriminator] ?? []) byName.set(name, testOf(option));
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    return byName.get((value as { readonly [key: string]: unknown })[discriminator])?.(value) ?? false;
  };
}
