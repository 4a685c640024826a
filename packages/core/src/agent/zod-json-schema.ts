import type { JsonObject, JsonValue } from '../kit/json.ts';
import { toJson } from '../kit/to-json.ts';
import type { Direction } from './schema.ts';

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

/**
 * Converts a zod schema without its own converter, as in `zod/mini`, to JSON Schema. zod's converter would add 7 kB to
 * every page; this one takes 1 kB. Checks that JSON Schema cannot express are left to the validation.
 * @throws Error that names an unsupported type, e.g. `lazy` or `date`.
 */
export function zodJsonSchema(schema: ZodSchema, direction: Direction): JsonObject {
  const { description, title } = metadata(schema);
  return {
    ...ofType(schema, direction),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}

/** The title and description of a schema. zod keeps them in one registry for all its copies. */
function metadata(schema: ZodSchema): { title?: string; description?: string } {
  type Registry = { get: (schema: object) => { title?: string; description?: string } | undefined };
  const { __zod_globalRegistry: registry } = globalThis as { __zod_globalRegistry?: Registry };
  return registry?.get(schema) ?? {};
}

function ofType(schema: ZodSchema, direction: Direction): JsonObject {
  const { def } = schema._zod;
  const inner = (): JsonObject => zodJsonSchema(def['innerType'] as ZodSchema, direction);
  const all = (list: unknown): JsonObject[] =>
    (list as ZodSchema[]).map((each) => zodJsonSchema(each, direction));
  switch (def.type) {
    case 'any':
    case 'unknown':
      return {};
    case 'never':
      return { not: {} };
    case 'boolean':
    case 'null':
      return { type: def.type };
    case 'string':
      return stringSchema(schema);
    case 'number':
      return numberSchema(schema);
    case 'literal':
      return oneOfValues(def['values'] as unknown[], true);
    case 'enum':
      return oneOfValues(enumValues(def['entries'] as Record<string, JsonValue>), false);
    case 'array':
      return {
        type: 'array',
        items: zodJsonSchema(def['element'] as ZodSchema, direction),
        ...sizes(schema, 'Items'),
      };
    case 'tuple':
      return tuple(def, direction);
    case 'object':
      return objectSchema(def, direction);
    case 'record':
      return record(def, direction);
    case 'union':
      return { [def['inclusive'] === false ? 'oneOf' : 'anyOf']: all(def['options']) };
    case 'intersection':
      return { allOf: all([def['left'], def['right']]) };
    case 'nullable':
      return { anyOf: [inner(), { type: 'null' }] };
    case 'default':
    case 'prefault':
      return direction === 'input' || def.type === 'default'
        ? { ...inner(), default: toJson(def['defaultValue']) }
        : inner();
    case 'optional':
    case 'nonoptional':
    case 'catch':
      return inner();
    case 'readonly':
      return { ...inner(), readOnly: true };
    case 'pipe':
      return zodJsonSchema(pipeEnd(def, direction), direction);
    default:
      throw untold(def.type);
  }
}

function objectSchema(def: ZodDef, direction: Direction): JsonObject {
  const shape = Object.entries(def['shape'] as Record<string, ZodSchema>);
  const required = shape.filter(([, field]) => isRequired(field, direction)).map(([key]) => key);
  const rest = def['catchall'] as ZodSchema | undefined;
  const isClosed = rest ? rest._zod.def.type === 'never' : direction === 'output';
  return {
    type: 'object',
    properties: Object.fromEntries(shape.map(([key, field]) => [key, zodJsonSchema(field, direction)])),
    ...(required.length === 0 ? {} : { required }),
    ...(isClosed
      ? { additionalProperties: false }
      : rest && { additionalProperties: zodJsonSchema(rest, direction) }),
  };
}

/** True for a required key. Transforms and `catch` accept an absent key at run time, but their type requires it. */
function isRequired(field: ZodSchema, direction: Direction): boolean {
  if (direction === 'output') return field._zod.optout === undefined;
  const { def } = field._zod;
  if (def.type === 'catch') return isRequired(def['innerType'] as ZodSchema, direction);
  if (def.type === 'pipe' && pipeEnd(def, 'input') === def['out'])
    return isRequired(def['out'] as ZodSchema, direction);
  return field._zod.optin === undefined;
}

/** The side of a pipe that describes the input or output. `z.preprocess` takes anything, so its target says more. */
function pipeEnd(def: ZodDef, direction: Direction): ZodSchema {
  const into = def['in'] as ZodSchema;
  return direction === 'output' || into._zod.def.type === 'transform' ? (def['out'] as ZodSchema) : into;
}

function record(def: ZodDef, direction: Direction): JsonObject {
  const keys = def['keyType'] as ZodSchema;
  const values = def['valueType'] as ZodSchema;
  const required = def['partial'] ? [] : [...(keys._zod.values ?? [])].map(String);
  return {
    type: 'object',
    propertyNames: zodJsonSchema(keys, direction),
    additionalProperties: zodJsonSchema(values, direction),
    ...(required.length === 0 || (direction === 'input' && !isRequired(values, direction))
      ? {}
      : { required }),
  };
}

function tuple(def: ZodDef, direction: Direction): JsonObject {
  const items = def['items'] as ZodSchema[];
  const rest = def['rest'] as ZodSchema | null;
  const least = items.findLastIndex((item) => isRequired(item, direction)) + 1;
  return {
    type: 'array',
    prefixItems: items.map((item) => zodJsonSchema(item, direction)),
    items: rest ? zodJsonSchema(rest, direction) : false,
    ...(least === 0 ? {} : { minItems: least }),
    ...(rest ? {} : { maxItems: items.length }),
  };
}

function oneOfValues(values: readonly unknown[], isLiteral: boolean): JsonObject {
  if (values.some((value) => value === undefined || typeof value === 'bigint')) throw untold('literal');
  if (values.length === 0) return { not: {} };
  const json = values as readonly JsonValue[];
  const kinds = [...new Set(json.map((value) => (value === null ? 'null' : typeof value)))];
  const type = kinds.length === 1 ? { type: kinds[0] as string } : {};
  return isLiteral && json.length === 1 ? { ...type, const: json[0] as JsonValue } : { ...type, enum: json };
}

/** The values of an enum. An enum of TypeScript lists its numbers twice: by name and in reverse. */
function enumValues(entries: Record<string, JsonValue>): JsonValue[] {
  const numbers = Object.values(entries).filter((value) => typeof value === 'number');
  return Object.entries(entries)
    .filter(([key]) => !numbers.includes(Number(key)))
    .map(([, value]) => value);
}

function untold(type: string): Error {
  return new Error(`zod's type "${type}" is not known here. Give \`inputSchema: z.toJSONSchema(schema)\`.`);
}
