import * as z from 'zod/mini';
import * as errors from '../../kit/errors.ts';
import type { JsonObject, JsonValue } from '../../kit/json.ts';
import { isUuid } from '../../kit/ids.ts';
import type { Env } from '../env.ts';
import type { Message, ToolCallPart, ToolResultPart } from '../message.ts';
import type { AgentState } from '../types.ts';
import type { MessageTable } from './message-table.ts';

/**
 * The first call and the first result of each id in the messages of a step that is written or read. Maps, because an
 * answer may have thousands of calls.
 */
export type Said = {
  readonly calls: ReadonlyMap<string, ToolCallPart>;
  readonly results: ReadonlyMap<string, ToolResultPart>;
};

/** Outside of a step. */
export const nothingSaid: Said = { calls: new Map(), results: new Map() };

/** The tables of a document that is written: the positions of its messages and texts. */
export type Writing = {
  readonly table: MessageTable;
  readonly textAt: (hash: string) => number;
  /** Writes the state of a subagent. */
  readonly child: (state: AgentState) => unknown;
  readonly said: Said;
};

/** The tables of a document that is read. */
export type Reading = {
  readonly table: readonly Message[];
  readonly texts: readonly (readonly [hash: string, text: JsonValue])[];
  readonly env: Env;
  readonly child: (stored: unknown, path: string) => AgentState;
  readonly warn: (path: string, what: string) => void;
  readonly said: Said;
};

/** A value as it is stored: the schema of its JSON, and both directions. Without them the value is its JSON. */
export type Shape<Value> = {
  readonly schema: z.ZodMiniType;
  readonly encode?: (value: Value, ctx: Writing) => unknown;
  /** Reads JSON that fits the schema. `path` is the place of the value in errors. */
  readonly decode?: (stored: never, ctx: Reading, path: string) => Value;
};

/** A field of a stored object. */
type Field<Value> = Shape<Value> & {
  /** The value that is not written, and that is read where there is none. A field without it has to be there. */
  readonly usual?: unknown;
  /** The JSON that is not written, and that is read where there is none. */
  readonly absent?: object;
  /** The name in the document, where it is another one. */
  readonly name?: string;
};

/** A value that is its own JSON. */
export function as<Value>(schema: z.ZodMiniType<Value>): Shape<Value> {
  return { schema };
}

/** A field that is left out while it has its usual value: null, empty, or another one. */
export function or<Value>(shape: Shape<Value>, usual: null): Field<Value | null>;
export function or<Value>(shape: Shape<Value>, usual: NoInfer<Value>): Field<Value>;
export function or(shape: Shape<unknown>, usual: unknown): Field<unknown> {
  return {
    ...coder(shape),
    // Asked for late, because the schema of an error holds itself.
    get schema() {
      return z.optional(usual === null ? z.nullable(shape.schema) : shape.schema);
    },
    usual,
  };
}

/** A field that is left out while its JSON is empty. */
export function whole<Value>(
  { schema, encode, decode }: Required<Shape<Value>>,
  absent: object = {},
): Field<Value> {
  return {
    schema: z.optional(schema),
    encode(value, ctx) {
      const stored = encode(value, ctx) as object;
      return Object.keys(stored).length === 0 ? undefined : stored;
    },
    decode,
    absent,
  };
}

/** A field that may be absent. */
export function optional<Value>(shape: Shape<Value>): Field<Value> {
  return { ...coder(shape), schema: z.optional(shape.schema), usual: undefined };
}

/** A field with another name in the document. */
export function renameField<Value>(name: string, field: Field<Value>): Field<Value> {
  return { ...field, name };
}

function coder<Value>({ encode, decode }: Shape<Value>): Pick<Shape<Value>, 'encode' | 'decode'> {
  return { ...(encode && { encode }), ...(decode && { decode }) };
}

/** A shape with both directions, as those of all objects. */
export type ObjectShape<Value> = Pick<Required<Shape<Value>>, 'decode'> & {
  readonly schema: z.ZodMiniType<Stored>;
  readonly encode: (value: Value, ctx: Writing) => Stored;
};

/** A stored object. */
export type Stored = { readonly [field: string]: unknown };

/**
 * The shape of an object, field by field; the compiler asks for every field of its type. Fields with their usual value
 * are not written, and unknown ones are not read.
 */
export function object<Value extends object>(fields: {
  readonly [Key in keyof Value]-?: Field<Exclude<Value[Key], undefined>>;
}): ObjectShape<Value> {
  const shape = {};
  // Every document passes here: entries of one form are read much faster than the fields themselves.
  const known = Object.entries(fields as unknown as { readonly [key: string]: AnyField }).map(
    ([key, field]) => {
      const { name = key, encode, decode, usual, absent } = field;
      Object.defineProperty(shape, name, { enumerable: true, get: () => field.schema });
      const isUsual = 'usual' in field ? testOfUsual(usual) : isAbsent;
      return { key, name, encode, decode, usual, absent, isUsual };
    },
  );
  return {
    schema: z.object(shape) as unknown as z.ZodMiniType<Stored>,
    encode(value, ctx) {
      const stored: { [name: string]: unknown } = {};
      for (const { key, name, encode, isUsual } of known) {
        const given = (value as Stored)[key];
        if (isUsual(given)) continue;
        const encoded = encode === undefined ? given : encode(given, ctx);
        if (encoded !== undefined) stored[name] = encoded;
      }
      return stored;
    },
    decode(stored: Stored, ctx, path) {
      const value: { [key: string]: unknown } = {};
      for (const { key, name, decode, usual, absent } of known) {
        const found = stored[name] ?? absent ?? stored[name];
        if (found === undefined || (found === null && usual === null)) {
          if (usual !== undefined) value[key] = fresh(usual);
        } else value[key] = decode === undefined ? found : decode(found, ctx, join(path, name));
      }
      return value as Value;
    },
  };
}

/** The place of a field. */
export function join(path: string, name: string): string {
  return path === '' || name === '' ? path + name : `${path}.${name}`;
}

type AnyField = Omit<Field<unknown>, 'decode'> & {
  readonly decode?: (stored: unknown, ctx: Reading, path: string) => unknown;
};

const isAbsent = (value: unknown): boolean => value === undefined;

/** The schema of an object with further fields. */
export function withFields(
  { schema }: { readonly schema: z.ZodMiniType },
  fields: z.core.$ZodLooseShape,
): z.ZodMiniType<Stored> {
  return z.extend(schema as unknown as z.ZodMiniObject, fields) as unknown as z.ZodMiniType<Stored>;
}

/** The test for a usual value; an absent field is never written. */
function testOfUsual(usual: unknown): (value: unknown) => boolean {
  if (Array.isArray(usual))
    return (value) => value === undefined || (value as readonly unknown[]).length === 0;
  if (typeof usual !== 'object' || usual === null) return (value) => value === undefined || value === usual;
  return (value) => value === undefined || Object.keys(value as object).length === 0;
}

/** An empty list or object of its own for each reader, because rows are remembered by the object that they hold. */
function fresh(usual: unknown): unknown {
  if (Array.isArray(usual)) return [];
  return typeof usual === 'object' && usual !== null ? {} : usual;
}

/** A list of values of a shape. */
export function list<Item>({ schema, encode, decode }: Shape<Item>): Shape<readonly Item[]> {
  return {
    schema: z.array(schema),
    ...(encode && { encode: (items, ctx) => items.map((item) => encode(item, ctx)) }),
    ...(decode && {
      decode: (stored: readonly never[], ctx: Reading, path: string) =>
        stored.map((item, index) => decode(item, ctx, join(path, String(index)))),
    }),
  };
}

/** One of several objects, told apart by their type. */
export function oneOf<Value extends { readonly type: string }>(shapes: {
  readonly [Type in Value['type']]: ObjectShape<Extract<Value, { readonly type: Type }>>;
}): Required<Shape<Value>> {
  const byType = shapes as unknown as { readonly [type: string]: ObjectShape<Value> };
  const schemas = Object.values(byType).map(({ schema }) => schema) as unknown as [z.ZodMiniObject];
  const shapeOf = ({ type }: { readonly type: string }): ObjectShape<Value> =>
    byType[type] as ObjectShape<Value>;
  return {
    schema: z.discriminatedUnion('type', schemas),
    encode: (value, ctx) => shapeOf(value).encode(value, ctx),
    decode: (stored: Value, ctx: Reading, path: string) => shapeOf(stored).decode(stored as never, ctx, path),
  };
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
// The value was copied as JSON before, so only `undefined` has to be excluded.
export const json = z.custom<JsonValue>((value) => value !== undefined, 'expected JSON');
export const jsonObject = z.custom<JsonObject>(isObject, 'expected a JSON object');
export const timestamp = z.int();
export const nullableText = z.nullable(z.string());
export const uuid = z.custom<string>(isUuid, 'expected a UUID');
export const count = z.int().check(z.nonnegative());

/** A list of items that nobody changes. */
export function listOf<Item>(item: z.ZodMiniType<Item>): z.ZodMiniType<readonly Item[]> {
  return z.array(item);
}

/** The error of a document without something that it refers to. */
export function missing(path: string, what: string): never {
  throw errors.stateInvalid({ path, what });
}
