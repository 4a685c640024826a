import type { AnyCheck, AnyFields, Check, Field, FieldsOf, ObjectCheck } from '../../kit/check.ts';
import * as is from '../../kit/check.ts';
import * as errors from '../../kit/errors.ts';
import { isUuid } from '../../kit/ids.ts';
import type { JsonValue } from '../../kit/json.ts';
import { memoize } from '../../kit/memoize.ts';
import type { Env } from '../env.ts';
import type { Message, ToolCallPart, ToolResultPart } from '../message.ts';
import type { AgentState } from '../types.ts';
import type { MessageTable } from './message-table.ts';

/** The first call and the first result of each id in the messages of a step, which may have thousands. */
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

/** Both directions of a stored value. Without them the value is its own JSON. */
type Coder<Value, Json> = {
  readonly encode: (value: Value, ctx: Writing) => Json;
  /** Reads JSON that fits the check. `path` is the place of the value in errors. */
  readonly decode: (stored: never, ctx: Reading, path: string) => Value;
};

/** A value as it is stored: the check of its JSON, and both directions. */
export type Shape<Value> = Field<Value> &
  Partial<Coder<Value, unknown>> & {
    /** The name of the field in the document, where it is another one. */
    readonly storedAs?: string;
  };

export type TwoWayShape<Value, Json = unknown> = Coder<Value, Json> & { readonly check: AnyCheck };

export type Stored = { readonly [field: string]: unknown };
export type ObjectShape<Value> = TwoWayShape<Value, Stored>;

/** A field that is left out while its JSON is empty. */
export function whole<Value>(
  { check, encode, decode }: TwoWayShape<Value>,
  absent: object = {},
): Shape<Value> {
  return {
    check,
    encode(value, ctx) {
      const stored = encode(value, ctx) as object;
      return Object.keys(stored).length === 0 ? undefined : stored;
    },
    decode,
    absent,
  };
}

export function renameField<Value>(storedAs: string, field: Field<Value>): Shape<Value> {
  return { ...field, storedAs };
}

/** The shape of an object that only documents have, field by field. */
export function storedObject<Value extends object>(given: FieldsOf<Value>): ObjectShape<Value> {
  const fields = given as unknown as { readonly [key: string]: Shape<unknown> };
  const stored = Object.entries(fields).map(([key, field]) => [field.storedAs ?? key, field]);
  return { check: is.object<object>(Object.fromEntries(stored)), ...objectCoder<Value>(fields) };
}

/** The shape of a noun, made from its table. */
export function shapeOf<Value>(check: ObjectCheck<Value>): ObjectShape<Value> {
  return { check, ...objectCoder<Value>(check.fields as unknown as AnyFields) };
}

type AnyCoder = {
  readonly encode?: (value: unknown, ctx: Writing) => unknown;
  readonly decode?: (stored: unknown, ctx: Reading, path: string) => unknown;
};

/** Makes both directions of a value from the structure of its check. */
const coderOf: (check: AnyCheck) => AnyCoder = memoize(
  ({ fields, isPlain, item, entry, choose }: AnyCheck) => {
    if (fields !== undefined) {
      const { encode, decode } = objectCoder(fields) as Required<AnyCoder>;
      return isPlain ? { decode } : { encode, decode };
    }
    if (item !== undefined) return listCoder(coderOf(item));
    if (entry !== undefined) return recordCoder(coderOf(entry));
    if (choose === undefined) return {};
    const coderFor = (value: unknown): AnyCoder => coderOf(choose(value) ?? is.json);
    return {
      encode: (value, ctx) => coderFor(value).encode?.(value, ctx) ?? value,
      decode: (stored, ctx, path) => coderFor(stored).decode?.(stored, ctx, path) ?? stored,
    };
  },
);

/** Both directions of an object. Fields with their usual value are not written, and unknown ones are not read. */
function objectCoder<Value>(fields: AnyFields): Coder<Value, Stored> {
  // Every document passes here: entries of one form are read much faster than the fields themselves.
  const known = Object.entries(fields).map(([key, given]) => {
    const field = (typeof given === 'function' ? { check: given } : given) as Shape<unknown>;
    const { check, usual, absent, storedAs: name = key } = field;
    const { encode, decode } = (field.encode || field.decode ? field : coderOf(check)) as AnyCoder;
    const isUsual = 'usual' in field ? testOfUsual(usual) : isAbsent;
    return { key, name, encode, decode, usual, absent, isUsual };
  });
  return {
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

export function withFields({ check }: { readonly check: AnyCheck }, fields: AnyFields): AnyCheck {
  return is.object<object>({ ...check.fields, ...fields });
}

const isAbsent = (value: unknown): boolean => value === undefined;

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

export function listOf<Item>({ check, ...coder }: Shape<Item>): Shape<readonly Item[]> {
  return {
    check: is.list(check),
    ...(listCoder(coder as AnyCoder) as Partial<Coder<readonly Item[], unknown>>),
  };
}

function listCoder({ encode, decode }: AnyCoder): AnyCoder {
  return {
    ...(encode && { encode: (items, ctx) => (items as readonly unknown[]).map((item) => encode(item, ctx)) }),
    ...(decode && {
      decode: (stored, ctx, path) =>
        (stored as readonly unknown[]).map((item, index) => decode(item, ctx, join(path, String(index)))),
    }),
  };
}

function recordCoder({ encode, decode }: AnyCoder): AnyCoder {
  return {
    ...(encode && { encode: (values, ctx) => mapValues(values, (value) => encode(value, ctx)) }),
    ...(decode && {
      decode: (stored, ctx, path) => mapValues(stored, (value, key) => decode(value, ctx, join(path, key))),
    }),
  };
}

/** A copy of an object with other values. A key `__proto__` stays one. */
function mapValues(values: unknown, change: (value: unknown, key: string) => unknown): unknown {
  return Object.fromEntries(
    Object.entries(values as Stored).map(([key, value]) => [key, change(value, key)]),
  );
}

export const uuid = is.checkBy<string>(isUuid, 'expected a UUID');

/** Checks JSON. @throws AgentError `state-invalid` with the path of the first fault */
export function checkJson(check: AnyCheck, value: unknown, path: string): void {
  const fault = check(value, is.ofDocument);
  if (fault !== null) throw errors.stateInvalid({ path: join(path, is.pathOf(fault)), what: fault.what });
}

/**
 * Checks JSON and reads it: a copy without unknown fields, or the value itself where it has no fields of its own.
 * @throws AgentError `state-invalid` with the path of the first fault
 */
export function readJsonAs<Value>(check: Check<Value>, value: unknown, path: string): Value {
  checkJson(check, value, path);
  // A noun that is described by its table refers to nothing.
  return (coderOf(check).decode?.(value, {} as Reading, path) ?? value) as Value;
}

/** The error of a document without something that it refers to. */
export function throwMissing(path: string, what: string): never {
  throw errors.stateInvalid({ path, what });
}
