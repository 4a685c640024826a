import { isPlainObject } from './is-plain-object.ts';
import type { JsonValue } from './json.ts';

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
  if (typeof value !== 'object') throw refusal(walk, `expected JSON, found ${nameOf(value)}`);
  if (walk.path.length >= walk.maxDepth)
    throw refusal(walk, `it is nested deeper than ${walk.maxDepth} levels`);
  if (Array.isArray(value)) return value.map((child, index) => copyChild(child, index, walk));
  if (!isPlainObject(value)) throw refusal(walk, `expected JSON, found an instance of a class`);
  return copyFields(value, walk);
}

function copyFields(value: { readonly [key: string]: unknown }, walk: Walk): JsonValue {
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue;
    const child = copyChild(value[key], key, walk);
    // Assigning to this one name would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(result, key, {
        value: child,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else result[key] = child;
  }
  return result;
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

function nameOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : typeof value;
}
