import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { jsonSchemaOf } from './json-schema-of.ts';

type Mini = z.ZodMiniType;

/** The JSON Schema of zod's own converter, where both use the same form. */
function byZod(schema: Mini, io: 'input' | 'output'): object {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io });
  return compared(json);
}

type Json = { type?: string | string[]; default?: unknown; anyOf?: Json[] };

/** Normalises a union of plain types to a list of types, and defaults behind transforms. */
function compared(json: object): object {
  return JSON.parse(JSON.stringify(json), (_key, value: Json | null) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { default: _default, anyOf, ...rest } = value;
    if (anyOf?.every((each) => each.type && Object.keys(each).length === 1) === true) {
      return { ...rest, type: [...new Set(anyOf.flatMap((each) => each.type ?? []))] };
    }
    const type = typeof rest.type === 'string' ? { type: [rest.type] } : {};
    return { ...rest, ...(anyOf && { anyOf }), ...type };
  }) as object;
}

const leaf: fc.Arbitrary<Mini> = fc.oneof(
  fc.constantFrom<Mini>(
    z.string(),
    z.boolean(),
    z.null(),
    z.any(),
    z.unknown(),
    z.never(),
    z.int(),
    z.number(),
    z.literal('x'),
    z.literal([1, 2]),
    z.literal(['a', null]),
    z.enum(['a', 'b']),
    z.string().check(z.regex(/^a/)),
    z.string().check(z.regex(/^a/), z.regex(/b$/), z.minLength(2)),
    z.string().register(z.globalRegistry, { description: 'A text', title: 'T' }),
  ),
  fc.tuple(fc.nat(9), fc.nat(9)).map(([a, b]) => z.string().check(z.minLength(a), z.maxLength(b))),
  fc.tuple(fc.nat(9), fc.nat(9)).map(([a, b]) => z.number().check(z.gte(a), z.gt(b), z.gte(b))),
  fc.tuple(fc.nat(9), fc.nat(9)).map(([a, b]) => z.int().check(z.lt(a), z.lte(b), z.multipleOf(b + 1))),
);
const { schema: anySchema } = fc.letrec<{ schema: Mini }>((tie) => {
  const inner = tie('schema');
  return {
    schema: fc.oneof(
      { maxDepth: 4 },
      leaf,
      inner.map((each) => z.optional(each)),
      inner.map((each) => z.nullable(each)),
      inner.map((each) => z._default(each, 'd')),
      inner.map((each) => z.prefault(each, 'd')),
      inner.map((each) => z.readonly(each)),
      inner.map((each) => z.nonoptional(each)),
      inner.map((each) =>
        z.pipe(
          each,
          z.transform((value) => value),
        ),
      ),
      fc.tuple(inner, fc.nat(3)).map(([each, n]) => z.array(each).check(z.minLength(n))),
      fc.array(inner, { minLength: 2, maxLength: 3 }).map((all) => z.union(all as [Mini])),
      fc.tuple(inner, inner).map(([a, b]) => z.tuple([a, b])),
      fc.tuple(inner, inner).map(([a, b]) => z.tuple([a], b)),
      inner.map((each) => z.record(z.string(), each)),
      inner.map((each) => z.record(z.enum(['k', 'l']), each)),
      fc.tuple(inner, inner).map(([a, b]) => z.object({ a, b })),
      inner.map((a) => z.strictObject({ a })),
      inner.map((a) => z.looseObject({ a })),
      fc.tuple(inner, inner).map(([a, b]) => z.catchall(z.object({ a }), b)),
    ),
  };
});

describe('the JSON Schema of a zod/mini schema', () => {
  it('a converted zod/mini schema equals that of zod itself', () => {
    fc.assert(
      fc.property(anySchema, fc.constantFrom('input' as const, 'output' as const), (schema, io) => {
        let expected: object;
        try {
          expected = byZod(schema, io);
        } catch {
          return;
        }
        expect(compared(jsonSchemaOf(schema, io, 'Test'))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('a converted zod/mini schema has formats, defaults, discriminated unions and intersections', () => {
    const schema = z.object({
      mail: z.email(),
      at: z.iso.datetime(),
      shape: z.discriminatedUnion('kind', [z.object({ kind: z.literal('dot') })]),
      size: z._default(z.number(), 3),
      both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    });
    expect(jsonSchemaOf(schema, 'input', 'Test')).toMatchObject({
      properties: {
        mail: { type: 'string', format: 'email' },
        at: { type: 'string', format: 'date-time' },
        shape: { oneOf: [{ properties: { kind: { const: 'dot' } } }] },
        size: { type: 'number', default: 3 },
        both: { allOf: [{ required: ['a'] }, { required: ['b'] }] },
      },
      required: ['mail', 'at', 'shape', 'both'],
    });
  });

  it('an unsupported zod/mini schema is rejected with a remedy', () => {
    expect(() => jsonSchemaOf(z.object({ at: z.date() }), 'input', 'Tool "x"')).toThrow(
      /^Tool "x": .*"date".*inputSchema: z\.toJSONSchema/,
    );
    expect(() =>
      jsonSchemaOf(
        z.lazy(() => z.string()),
        'input',
        'Tool "x"',
      ),
    ).toThrow(expect.objectContaining({ code: 'agent-invalid' }));
  });
});
