import { isPlainObject } from './is-plain-object.ts';
import type { JsonValue } from './json.ts';

type Value = JsonValue | undefined;

/** Deep equality of JSON values of any depth; equal references are equal at once. */
export function equalJson(a: Value, b: Value): boolean {
  // The pairs that are still to be compared.
  const open: Value[] = [a, b];
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

/** Adds the values under the same keys; false when the keys differ. */
function addChildren(left: object, right: object, open: Value[]): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false;
    open.push((left as Record<string, JsonValue>)[key], (right as Record<string, JsonValue>)[key]);
  }
  return true;
}

/**
 * A key that is equal for values that are equal as JSON, in any order of their properties; null for a value that is no
 * JSON.
 */
export function jsonKey(value: object): string | null {
  try {
    return JSON.stringify(value, (_key, child: unknown) => (isPlainObject(child) ? sorted(child) : child));
  } catch {
    return null;
  }
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
