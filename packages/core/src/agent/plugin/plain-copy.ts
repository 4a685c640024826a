import type { JsonValue } from '../../kit/json.ts';

/** Deeper data than this is refused: a session that holds it could not be read back everywhere. */
const maxDepth = 100;

/** Tells where something stands that plain data may not hold; the path is empty for the value itself. */
export class NotPlain extends Error {
  readonly path: string;
  constructor(path: string) {
    super(`${path || 'the value'} is not JSON; keep plain data and convert where you use it`);
    this.path = path;
  }
}

/**
 * A copy of plain JSON data, which shares nothing with the original. Properties that are undefined are left out.
 * @throws NotPlain for anything that JSON cannot hold, and for what is more than 100 levels deep, cycles included.
 */
export function plainCopy(value: unknown): JsonValue {
  // The path is only kept as keys and joined on failure: this runs for every write of large states.
  const keys: (string | number)[] = [];
  const result = copy(value, keys);
  if (result === undefined) throw new NotPlain(keys.join('.'));
  return result;
}

/** Undefined for what is not plain; its keys are then left in `keys`. */
function copy(value: unknown, keys: (string | number)[]): JsonValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  // JSON knows no minus zero.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value !== 'object' || keys.length >= maxDepth) return undefined;
  return Array.isArray(value) ? copyList(value, keys) : copyFields(value, keys);
}

function copyList(list: readonly unknown[], keys: (string | number)[]): JsonValue[] | undefined {
  const result: JsonValue[] = [];
  for (let index = 0; index < list.length; index++) {
    keys.push(index);
    const child = copy(list[index], keys);
    if (child === undefined) return undefined;
    keys.pop();
    result.push(child);
  }
  return result;
}

function copyFields(value: object, keys: (string | number)[]): JsonValue | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined) continue;
    keys.push(key);
    const child = copy(field, keys);
    if (child === undefined) return undefined;
    keys.pop();
    if (key !== '__proto__') result[key] = child;
    // Assigned, it would be taken for the prototype.
    else
      Object.defineProperty(result, key, {
        value: child,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return result;
}
