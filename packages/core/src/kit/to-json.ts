import { isPlainObject, type JsonObject, type JsonValue, setField } from './json.ts';
import { wellFormed } from './text.ts';

export type ToJsonOptions = {
  /** The most objects and arrays inside each other; deeper ones become `'[Too deep]'`. Default: 100. */
  readonly maxDepth?: number;
  /** The most values that are copied in all; the rest is cut with one `'[Too large]'` a level. Default: 1,000,000. */
  readonly maxValues?: number;
  /** Called with the placeholder of each object that JSON cannot hold, such as `'[Map]'`; not for errors. */
  readonly onOpaque?: (placeholder: string) => void;
};

/** The state of a copy: the parents of the current value, and the number of values left. */
type Walk = {
  readonly maxDepth: number;
  readonly above: object[];
  readonly onOpaque: ((placeholder: string) => void) | undefined;
  left: number;
};

const circular = '[Circular]';
const tooDeep = '[Too deep]';
const tooLarge = '[Too large]';
const unreadable = '[Unreadable]';

/**
 * Copies any value as JSON by the rules of `JSON.stringify`: `toJSON` is called (a Date becomes ISO text), and
 * properties that are undefined, functions or symbols are left out. In arrays they become null, as do NaN and Infinity.
 * Other values become a text that names them: `'[BigInt 5]'`, `'[Map]'`, `'[Set]'`, `'[Uint8Array]'`, `'[Promise]'`,
 * `'[TypeError: message]'`, `'[Point]'` for an instance without fields, `'[Circular]'`, and `'[Unreadable]'` for a
 * getter, `toJSON` or proxy that throws. Texts and names are well-formed: half a surrogate pair becomes U+FFFD.
 *
 * It never throws, shares no object with the caller, and its result equals its own JSON round trip.
 */
export function toJson(value: unknown, options: ToJsonOptions = {}): JsonValue {
  const { maxDepth = 100, maxValues = 1_000_000, onOpaque } = options;
  return copy(value, '', { maxDepth, above: [], onOpaque, left: maxValues }) ?? null;
}

/** Copies a value that has to be an object; every other value, arrays and placeholders included, becomes `{}`. */
export function toJsonObject(value: unknown, options?: ToJsonOptions): JsonObject {
  const json = toJson(value, options);
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as JsonObject) : {};
}

/** Copies one value. Undefined means that an object leaves the property out. */
function copy(given: unknown, key: string, walk: Walk): JsonValue | undefined {
  walk.left -= 1;
  const type = typeof given;
  if (given === null || (type !== 'object' && type !== 'function' && type !== 'bigint'))
    return copyPlain(given);
  try {
    const value = unboxValue(callToJSON(given, key));
    return typeof value === 'object' && value !== null ? copyObject(value, walk) : copyPlain(value);
  } catch {
    return unreadable;
  }
}

function copyPlain(value: unknown): JsonValue | undefined {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'boolean' || value === null) return value;
  // JSON knows neither NaN and infinity nor minus zero.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  return typeof value === 'bigint' ? `[BigInt ${value}]` : undefined;
}

function callToJSON(value: unknown, key: string): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value;
}

/** The value inside `new Number(1)` and similar objects. */
function unboxValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (value instanceof Number) return Number(value);
  if (value instanceof String) return String(value);
  if (value instanceof Boolean || value instanceof BigInt) return value.valueOf();
  return value;
}

function copyObject(value: object, walk: Walk): JsonValue {
  if (walk.above.includes(value)) return circular;
  const isList = Array.isArray(value);
  const name = isList ? null : opaqueName(value);
  if (name !== null) {
    if (!(value instanceof Error)) walk.onOpaque?.(name);
    return name;
  }
  if (walk.above.length >= walk.maxDepth) return tooDeep;
  const depth = walk.above.push(value);
  try {
    return isList ? copyList(value, walk) : copyFields(value, walk);
  } finally {
    walk.above.length = depth - 1;
  }
}

function copyList(list: readonly unknown[], walk: Walk): JsonValue[] {
  const result: JsonValue[] = [];
  const { length } = list;
  for (let index = 0; index < length; index++) {
    if (walk.left <= 0) {
      result.push(tooLarge);
      break;
    }
    result.push(read(list, index, walk) ?? null);
  }
  return result;
}

function copyFields(value: object, walk: Walk): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const given of Object.keys(value)) {
    const key = wellFormed(given);
    const child = walk.left <= 0 ? tooLarge : read(value, given, walk);
    if (child === undefined) continue;
    setField(result, key, child);
    if (walk.left <= 0 && child === tooLarge) break;
  }
  return result;
}

function read(holder: object, key: string | number, walk: Walk): JsonValue | undefined {
  let child: unknown;
  try {
    child = (holder as Record<string | number, unknown>)[key];
  } catch {
    return unreadable;
  }
  return copy(child, String(key), walk);
}

/** The placeholder of an object for which JSON would show nothing useful; null for all others. */
function opaqueName(value: object): string | null {
  if (value instanceof Error) return `[${value.name}: ${value.message}]`;
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value))
    return `[${typeName(value)}]`;
  return isPlainObject(value) || Object.keys(value).length > 0 ? null : `[${typeName(value)}]`;
}

function typeName(value: object): string {
  const { constructor } = value as { constructor?: unknown };
  const name: unknown = typeof constructor === 'function' ? constructor.name : '';
  if (typeof name === 'string' && name !== '' && name !== 'Object') return name;
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Fields to spread: a copy of metadata that is a plain object, and nothing for other values. */
export function providerMetadataOf(value: unknown): { providerMetadata?: JsonObject } {
  return isPlainObject(value) ? { providerMetadata: toJsonObject(value) } : {};
}

/** A JSON value without lone halves of surrogate pairs, in texts and in names; the same value where it has none. */
export function wellFormedJson<Value extends JsonValue>(value: Value): Value {
  const json = JSON.stringify(value);
  // Only lone halves are escaped so. A backslash of a text is two, and is passed over.
  if (!/\\ud[89a-f]/.test(json)) return value;
  return JSON.parse(
    json.replaceAll(/\\\\|\\ud[89a-f][\da-f]{2}/g, (found) => (found === '\\\\' ? found : '\\ufffd')),
  ) as Value;
}
