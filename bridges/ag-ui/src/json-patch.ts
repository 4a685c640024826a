import { equalJson, isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';

/** Limits of a patch: a few small operations could double a value again and again. */
const most = { operations: 10_000, steps: 100, size: 2 ** 20, copied: 1_000_000 };

/** A list is copied as a block, an object key by key. */
const entriesAtOnce = 64;

/** A value that a patch changes, its size, and the entries that were copied so far. */
type Patching = { readonly value: JsonValue; readonly size: number; readonly copied: number };

/** The value after an RFC 6902 patch, which may grow by the size of the patch or to 1 MiB; null for no fit. */
export function patch(value: JsonValue, operations: unknown): { readonly value: JsonValue } | null {
  if (!Array.isArray(operations) || operations.length > most.operations) return null;
  let current: Patching = { value, size: sizeOf(value), copied: 0 };
  const mostSize = Math.max(current.size + sizeOf(operations as readonly JsonValue[]), most.size);
  for (const operation of operations as readonly unknown[]) {
    const next = isPlainObject(operation) ? applyOperation(current, operation) : undefined;
    if (next === undefined || next.size > mostSize) return null;
    current = next;
  }
  return { value: current.value };
}

function applyOperation(
  before: Patching,
  operation: { readonly [key: string]: unknown },
): Patching | undefined {
  const path = tokensOf(operation['path']);
  if (path === null) return undefined;
  switch (operation['op']) {
    case 'add':
    case 'replace': {
      const put = operation['value'] as JsonValue | undefined;
      return put === undefined ? undefined : changePlace(before, path, { op: operation['op'], put });
    }
    case 'remove':
      return changePlace(before, path, { op: 'remove' });
    case 'test':
      return equalJson(valueAt(before.value, path), operation['value']) ? before : undefined;
    case 'copy':
    case 'move': {
      const from = tokensOf(operation['from']);
      const put = from === null ? undefined : valueAt(before.value, from);
      if (from === null || put === undefined) return undefined;
      const rest = operation['op'] === 'move' ? changePlace(before, from, { op: 'remove' }) : before;
      return rest && changePlace(rest, path, { op: 'add', put });
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

function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const token of path) {
    if (Array.isArray(current)) current = (current as readonly JsonValue[])[Number(token)];
    else if (isPlainObject(current) && Object.hasOwn(current, token)) current = current[token] as JsonValue;
    else return undefined;
  }
  return current;
}

/** The change of one place; without a value for one that is removed. */
type Change = { readonly op: 'add' | 'replace' | 'remove'; readonly put?: JsonValue | undefined };

/** A copy with one place changed; undefined when there is no such place. */
function changePlace(before: Patching, path: readonly string[], change: Change): Patching | undefined {
  const { op, put } = change;
  const last = path.at(-1);
  if (last === undefined) return { ...before, value: put ?? null, size: sizeOf(put ?? null) };
  const parent = valueAt(before.value, path.slice(0, -1));
  const isInserted = op === 'add' && Array.isArray(parent);
  const replaced = isInserted ? undefined : valueAt(before.value, path);
  const next = copyWith(before, path, change);
  const grown = (put === undefined ? 0 : sizeOf(put) + last.length + 4) - sizeOf(replaced ?? null);
  return next && { ...next, size: before.size + grown };
}

/** Changes a place in copies of the objects and lists around it, the innermost first. */
function copyWith(before: Patching, path: readonly string[], change: Change): Patching | undefined {
  const { value, size, copied } = before;
  let [next, entries] = [change.put, copied];
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const parent = valueAt(value, path.slice(0, depth));
    const op = depth === path.length - 1 ? change.op : 'replace';
    const key = path[depth] ?? '';
    entries += Array.isArray(parent) ? parent.length / entriesAtOnce : widthOf(parent);
    const edit = { op, put: next };
    next = Array.isArray(parent) ? listWith(parent, key, edit) : objectWith(parent, key, edit);
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

function listWith(list: readonly JsonValue[], token: string, { op, put }: Change): JsonValue | undefined {
  const index = token === '-' && op === 'add' ? list.length : /^\d+$/.test(token) ? Number(token) : -1;
  if (index < 0 || index > list.length || (op !== 'add' && index === list.length)) return undefined;
  const changed = [...list];
  changed.splice(index, op === 'add' ? 0 : 1, ...(put === undefined ? [] : [put]));
  return changed;
}

function objectWith(
  parent: JsonValue | undefined,
  token: string,
  { op, put }: Change,
): JsonValue | undefined {
  if (!isPlainObject(parent) || (op !== 'add' && !Object.hasOwn(parent, token))) return undefined;
  const entries = Object.entries(parent);
  // A replaced field keeps its place; an added one is the last.
  const changed =
    op === 'replace'
      ? entries.map(([key, value]) => [key, key === token ? put : value])
      : [...entries.filter(([key]) => key !== token), ...(op === 'add' ? [[token, put]] : [])];
  // Built from entries, so that the name `__proto__` is a name like any other.
  return Object.fromEntries(changed) as JsonValue;
}
