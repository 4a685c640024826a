import type { JsonObject } from '../kit/json.ts';

/** The part of a zod schema that every one of zod 4 has, also in `zod/mini`. */
export type ZodSchema = {
  readonly _zod: {
    readonly def: ZodDef;
    readonly traits: ReadonlySet<string>;
    readonly optin?: string;
    readonly optout?: string;
    readonly values?: ReadonlySet<unknown>;
  };
};
/** The definition of a schema: its type and the fields of that type. */
export type ZodDef = { readonly type: string; readonly [key: string]: unknown };

type CheckDef = { readonly check: string; readonly [key: string]: unknown };

/** Converts length checks to `minLength`, `maxItems` and so on. */
export function sizes(schema: ZodSchema, of: 'Items' | 'Length'): JsonObject {
  const list = checks(schema);
  const least = tightest(list, { min_length: 'minimum', length_equals: 'length' }, Math.max);
  const most = tightest(list, { max_length: 'maximum', length_equals: 'length' }, Math.min);
  return {
    ...(least === null ? {} : { [`min${of}`]: least }),
    ...(most === null ? {} : { [`max${of}`]: most }),
  };
}

const formats: Record<string, string> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  guid: 'uuid',
  datetime: 'date-time',
  date: 'date',
  duration: 'duration',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
};

/** Converts a string with its length, format and patterns. */
export function stringSchema(schema: ZodSchema): JsonObject {
  const formed = checks(schema).filter((check) => check.check === 'string_format');
  const format = formed.map((check) => formats[check['format'] as string]).findLast(Boolean);
  const patterns = formed
    .filter((check) => check['format'] === 'regex')
    .map((check) => ({ pattern: (check['pattern'] as RegExp).source }));
  return {
    type: 'string',
    ...sizes(schema, 'Length'),
    ...(format === undefined ? {} : { format }),
    ...(patterns.length > 1 ? { allOf: patterns } : patterns[0]),
  };
}

/** Converts a number with its bounds; an integer format adds the bounds of safe integers. */
export function numberSchema(schema: ZodSchema): JsonObject {
  const list = checks(schema);
  const isInteger = list.some((check) => String(check['format']).includes('int'));
  const safe = isInteger ? [Number.MAX_SAFE_INTEGER] : [];
  const over = (isInclusive: boolean): CheckDef[] =>
    list.filter((check) => check['inclusive'] === isInclusive);
  const bound = (check: string, isInclusive: boolean, pick: typeof Math.max, more: number[]): number | null =>
    tightest(over(isInclusive), { [check]: 'value' }, pick, more);
  const minimum = bound(
    'greater_than',
    true,
    Math.max,
    safe.map((most) => -most),
  );
  const maximum = bound('less_than', true, Math.min, safe);
  const above = bound('greater_than', false, Math.max, []);
  const below = bound('less_than', false, Math.min, []);
  const divisor = list.find((check) => check.check === 'multiple_of')?.['value'];
  return {
    type: isInteger ? 'integer' : 'number',
    ...(above !== null && above >= (minimum ?? -Infinity)
      ? { exclusiveMinimum: above }
      : minimum !== null && { minimum }),
    ...(below !== null && below <= (maximum ?? Infinity)
      ? { exclusiveMaximum: below }
      : maximum !== null && { maximum }),
    ...(typeof divisor === 'number' && divisor > 0 ? { multipleOf: divisor } : {}),
  };
}

/** The checks of a schema. A schema of a format is its own first check. */
function checks({ _zod: { def, traits } }: ZodSchema): CheckDef[] {
  const own = traits.has('$ZodCheck') ? [def as unknown as CheckDef] : [];
  const others = (def['checks'] ?? []) as { readonly _zod: { readonly def: CheckDef } }[];
  return [...own, ...others.map((check) => check._zod.def)];
}

/** The tightest bound among the checks of the given kinds. */
function tightest(
  list: readonly CheckDef[],
  fields: { readonly [check: string]: string },
  pick: typeof Math.max,
  more: readonly number[] = [],
): number | null {
  const bounds = list.flatMap((check) => {
    const field = fields[check.check];
    return field === undefined ? [] : [check[field] as number];
  });
  return bounds.length + more.length === 0 ? null : pick(...bounds, ...more);
}
