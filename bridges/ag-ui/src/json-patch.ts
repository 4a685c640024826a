import { equalJson, isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';

/**
 * Most operations of one patch, steps of one path, characters that a value may grow to in any case, and entries of
 * objects and lists that a patch may copy. A few small operations could double a value again and again.
 */
const most = { operations: 10_000, steps: 100, size: 2 ** 20, copied: 1_000_000 };

/** A list is copied as a block, an object key by key. */
const entriesAtOnce = 64;

/** A value that a patch changes, its size, and the entries that were copied so far. */
type Patching = { readonly value: JsonValue; readonly size: number; readonly copied: number };

/**
 * The value after an RFC 6902 patch; null when the patch does not fit the value, which then stays as it is. It may grow
 * by the size of the patch, or to 1 MiB.
 */
export function patch(value: JsonValue, patch: unknown): { readonly value: JsonValue } | null {
  if (!Array.isArray(patch) || patch.length > most.operations) return null;
  let current: Patching = { value, size: sizeOf(value), copied: 0 };
  const mostSize = Math.max(current.size + sizeOf(patch as readonly JsonValue[]), most.size);
  for (const operation of patch as readonly unknown[]) {
    const next = isPlainObject(operation) ? applyOperation(current, operation) : undefined;
    if (next === undefined || next.size > mostSize) return null;
    current = next;
  }
  return { value: current.value };
}

function applyOperation(of: Patching, operation: { readonly [key: string]: unknown }): Patching | undefined {
  const path = tokensOf(operation['path']);
  if (path === null) return undefined;
  switch (operation['op']) {
    case 'add':
    case 'replace':
      return operation['value'] === undefined
        ? undefined
        : changePlace(of, path, operation['value'] as JsonValue, operation['op']);
    case 'remove':
      return changePlace(of, path, undefined, 'remove');
    case 'test':
      return equalJson(at(of.value, path) as JsonValue, operation['value'] as JsonValue) ? of : undefined;
    case 'copy':
    case 'move': {
      const from = tokensOf(operation['from']);
      const found = from === null ? undefined : at(of.value, from);
      if (from === null || found === undefined) return undefined;
      const without = operation['op'] === 'move' ? changePlace(of, from, undefined, 'remove') : of;
      return without === undefined ? undefined : changePlace(without, path, found, 'add');
    }
    default:
      return undefined;
  }
}

function tokensOf(pointer: unknown): string[] | null {
  if (pointer === '') return [];
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) return null;
  const tokens = pointer.slice(1).split('/', most.steps + 1);
  return tokens.length > most.steps
    ? null
    : tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function at(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const token of path) {
    if (Array.isArray(current)) current = (current as readonly JsonValue[])[Number(token)];
    else if (isPlainObject(current) && Object.hasOwn(current, token)) current = current[token] as JsonValue;
    else return undefined;
  }
  return current;
}

type Operation = 'add' | 'replace' | 'remove';

/** A copy with one place changed; undefined when there is no such place. */
function changePlace(
  of: Patching,
  path: readonly string[],
  put: JsonValue | undefined,
  op: Operation,
): Patching | undefined {
  const last = path.at(-1);
  if (last === undefined) return { ...of, value: put ?? null, size: sizeOf(put ?? null) };
  const parent = at(of.value, path.slice(0, -1));
  const isInserted = op === 'add' && Array.isArray(parent);
  const replaced = isInserted ? undefined : at(of.value, path);
  const next = withChanged(of, path, put, op);
  const grown = (put === undefined ? 0 : sizeOf(put) + last.length + 4) - sizeOf(replaced ?? null);
  return next && { ...next, size: of.size + grown };
}

/** Builds anew what stands above a changed place, from the inside to the outside. */
function withChanged(
  { value, size, copied }: Patching,
  path: readonly string[],
  put: JsonValue | undefined,
  op: Operation,
): Patching | undefined {
  let [next, entries] = [put, copied];
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const parent = at(value, path.slice(0, depth));
    const own = depth === path.length - 1 ? op : 'replace';
    const key = path[depth] ?? '';
    entries += Array.isArray(parent) ? parent.length / entriesAtOnce : widthOf(parent);
    next = Array.isArray(parent) ? listWith(parent, key, next, own) : objectWith(parent, key, next, own);
    if (next === undefined || entries > most.copied) return undefined;
  }
  return { value: next ?? null, size, copied: entries };
}

function widthOf(parent: JsonValue | undefined): number {
  return isPlainObject(parent) ? Object.keys(parent).length : 0;
}

/** The sizes of objects and lists that were measured before. Values are never changed. */
const sizes = new WeakMap<object, number>();

/** The number of characters of a value as text, about. What stands in several places counts in each. */
function sizeOf(value: JsonValue): number {
  const open = isContainer(value) ? [value] : [];
  for (let next = open.at(-1); next !== undefined; next = open.at(-1)) {
    const unknown = Object.values(next).filter((inner) => isContainer(inner) && !sizes.has(inner));
    if (unknown.length === 0) sizes.set(next, sumOf(next));
    if (sizes.has(next)) open.pop();
    else for (const inner of unknown) open.push(inner as JsonObject);
  }
  return knownSize(value);
}

/** The size of an object or a list whose inner ones are known. */
function sumOf(value: object): number {
  let size = 2;
  for (const [key, inner] of Object.entries(value))
    size += 1 + knownSize(inner as JsonValue) + (Array.isArray(value) ? 0 : key.length + 3);
  return size;
}

function knownSize(value: JsonValue): number {
  if (isContainer(value)) return sizes.get(value) ?? 0;
  return typeof value === 'string' ? value.length + 2 : 5;
}

function isContainer(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

function listWith(
  list: readonly JsonValue[],
  token: string,
  put: JsonValue | undefined,
  op: string,
): JsonValue | undefined {
  const index = token === '-' && op === 'add' ? list.length : /^\d+$/.test(token) ? Number(token) : -1;
  if (index < 0 || index > list.length || (op !== 'add' && index === list.length)) return undefined;
  const changed = [...list];
  changed.splice(index, op === 'add' ? 0 : 1, ...(put === undefined ? [] : [put]));
  return changed;
}

function objectWith(
  parent: JsonValue | undefined,
  token: string,
  put: JsonValue | undefined,
  op: string,
): JsonValue | undefined {
  if (!isPlainObject(parent) || (op !== 'add' && !Object.hasOwn(parent, token))) return undefined;
  const entries = Object.entries(parent).filter(([key]) => key !== token);
  const all =
    op === 'replace' ? Object.entries(parent).map(([key, one]) => [key, key === token ? put : one]) : entries;
  // Built from entries, so that the name `__proto__` is a name like any other.
  return Object.fromEntries(op === 'add' ? [...entries, [token, put]] : all) as JsonValue;
}
