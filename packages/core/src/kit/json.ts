import { work, spendUnits } from './work.ts';

/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; optional keys are absent, never `undefined`. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** The type of a value as JSON: a Date becomes text, undefined becomes null. JSON types are unchanged. */
export type JsonOf<T> = T extends JsonValue
  ? T
  : T extends void
    ? null
    : T extends { toJSON(): infer Json }
      ? JsonOf<Json>
      : T extends bigint | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
        ? string
        : T extends object
          ? { [Key in keyof T]: JsonField<T[Key]> }
          : T;

type JsonField<T> = T extends undefined ? undefined : JsonOf<T>;

/** The fields that have a value: JSON leaves the others out. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}
type Present<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

export type JsonBounds = {
  /** Number of objects and arrays inside each other. */
  readonly depth: number;
  /** Number of characters. */
  readonly length: number;
};

export const modelJson: JsonBounds = { depth: 100, length: 16 * 2 ** 20 };

/** The bounds of JSON in texts of this library: deeper than any state, and as long as a text may be. */
export const documentJson: JsonBounds = { depth: 1_000, length: 2 ** 29 };

/** The value of a text, or a clause that says why it is invalid. */
export type JsonReading =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly what: string };

/** Reads a whole JSON text, never throws, and measures depth and length first: the parser has no bounds. */
export function readJson(text: string, { depth, length }: JsonBounds = documentJson): JsonReading {
  if (text.length > length) return { ok: false, what: `it has more than ${length} characters` };
  spendUnits(text.length);
  if (text.length > depth && isDeeper(text, depth))
    return { ok: false, what: `it is nested deeper than ${depth} levels` };
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch {
    return { ok: false, what: 'it is no JSON' };
  }
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [34, 92, 91, 93, 123, 125];

/** True when the text is nested deeper than allowed. The answer may be wrong for invalid JSON. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openList || code === openObject) {
      if (++depth > most) return true;
    } else if (code === closeList || code === closeObject) depth--;
  }
  return false;
}

/** Index of the quotation mark that ends a string; the text's length when there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) break;
    if (code === backslash) at++;
  }
  return at;
}

/** True for `{ ... }` and objects without a prototype, also of another realm; false for lists and instances. */
export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Approximate number of characters of a JSON value, without its text. A shared value counts once. */
export function jsonSize(value: unknown, counted: Set<object> = new Set()): number {
  let size = 0;
  const open = [value];
  while (open.length > 0) {
    work.units++;
    const next = open.pop();
    if (typeof next === 'string') size += next.length + 2;
    else if (typeof next !== 'object' || next === null) size += 5;
    else if (!counted.has(next)) {
      counted.add(next);
      size += 2;
      if (Array.isArray(next)) {
        size += next.length;
        for (const entry of next) open.push(entry);
      } else
        for (const key in next) {
          size += key.length + 4;
          open.push((next as Record<string, unknown>)[key]);
        }
    }
  }
  return size;
}

type Value = JsonValue | undefined;

/** Deep equality of JSON values of any depth; equal references are equal at once. */
export function equalJson(a: unknown, b: unknown): boolean {
  // The pairs that are still to be compared.
  const open = [a, b];
  while (open.length > 0) {
    const right = open.pop();
    const left = open.pop();
    if (Object.is(left, right)) continue;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
      return false;
    if (Array.isArray(left) !== Array.isArray(right) || !addChildren(left, right, open)) return false;
  }
  return true;
}

/** True when a value has all fields of another one, with equal values, at any depth of objects. */
export function holdsFields(value: Value, part: JsonValue): boolean {
  const open: [Value, JsonValue][] = [[value, part]];
  for (const [whole, wanted] of open) {
    if (!isPlainObject(wanted)) {
      if (!equalJson(whole, wanted)) return false;
      continue;
    }
    if (!isPlainObject(whole)) return false;
    for (const [key, field] of Object.entries(wanted as JsonObject)) {
      if (!Object.hasOwn(whole, key)) return false;
      open.push([(whole as JsonObject)[key], field]);
    }
  }
  return true;
}

/** Adds the values under the same keys; false when the keys differ. */
function addChildren(left: object, right: object, open: unknown[]): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false;
    open.push((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]);
  }
  return true;
}

/** A key that is equal for equal JSON, in any order of properties; null for a value that is no JSON. */
export function jsonKey(value: object): string | null {
  try {
    return JSON.stringify(value, (_key, child: unknown) => {
      if (!isPlainObject(child)) return child;
      return Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  } catch {
    return null;
  }
}

export type CopyJsonOptions = {
  /** The most objects and arrays inside each other. */
  readonly maxDepth: number;
  /** Creates the error for a value that is no JSON, or too deep; `path` is `''` for the value itself. */
  readonly refuse: (path: string, what: string) => Error;
};

type Walk = CopyJsonOptions & { readonly path: (string | number)[] };

/**
 * Copies a value that has to be JSON already; the copy shares no object with the original. Undefined properties are
 * left out. For arbitrary values see `toJson`, which never rejects.
 * @throws the error of `refuse`, for the first value that JSON cannot hold.
 */
export function copyJson<Value>(value: Value, options: CopyJsonOptions): Value {
  return copy(value, { ...options, path: [] }) as Value;
}

function copy(value: unknown, walk: Walk): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0;
  if (typeof value !== 'object')
    throw refusal(walk, `expected JSON, found ${typeof value === 'number' ? value : typeof value}`);
  if (walk.path.length >= walk.maxDepth)
    throw refusal(walk, `it is nested deeper than ${walk.maxDepth} levels`);
  if (Array.isArray(value)) return value.map((child, index) => copyChild(child, index, walk));
  if (!isPlainObject(value)) throw refusal(walk, `expected JSON, found an instance of a class`);
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue;
    setField(result, key, copyChild(value[key], key, walk));
  }
  return result;
}

/** Sets a property of a new object, also one named `__proto__`. */
export function setField(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  // Assigning to this one name would set the prototype.
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

function copyChild(child: unknown, key: string | number, walk: Walk): JsonValue {
  walk.path.push(key);
  const result = copy(child, walk);
  walk.path.pop();
  return result;
}

/** Builds the error. Long paths are cut at their end, which is of no use for a value that is too deep. */
function refusal({ path, refuse }: Walk, what: string): Error {
  return refuse(path.slice(0, 20).join('.') + (path.length > 20 ? '…' : ''), what);
}
