import { equalJson, isPlainObject, type JsonValue } from '../../kit/json.ts';

/** Most operations of one patch, and most steps of one path. */
const most = { operations: 10_000, steps: 100 };

/** The value after an RFC 6902 patch; null when the patch does not fit the value, which then stays as it is. */
export function patched(value: JsonValue, patch: unknown): { readonly value: JsonValue } | null {
  if (!Array.isArray(patch) || patch.length > most.operations) return null;
  let current: JsonValue = value;
  for (const operation of patch as readonly unknown[]) {
    const next = isPlainObject(operation) ? applied(current, operation) : undefined;
    if (next === undefined) return null;
    current = next;
  }
  return { value: current };
}

function applied(value: JsonValue, operation: { readonly [key: string]: unknown }): JsonValue | undefined {
  const path = tokensOf(operation['path']);
  if (path === null) return undefined;
  switch (operation['op']) {
    case 'add':
    case 'replace':
      return operation['value'] === undefined
        ? undefined
        : changed(value, path, operation['value'] as JsonValue, operation['op']);
    case 'remove':
      return changed(value, path, undefined, 'remove');
    case 'test':
      return equalJson(at(value, path) as JsonValue, operation['value'] as JsonValue) ? value : undefined;
    case 'copy':
    case 'move': {
      const from = tokensOf(operation['from']);
      const found = from === null ? undefined : at(value, from);
      if (from === null || found === undefined) return undefined;
      const without = operation['op'] === 'move' ? changed(value, from, undefined, 'remove') : value;
      return without === undefined ? undefined : changed(without, path, found, 'add');
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

/** A copy with one place changed; undefined when there is no such place. */
function changed(
  value: JsonValue,
  path: readonly string[],
  put: JsonValue | undefined,
  op: 'add' | 'replace' | 'remove',
): JsonValue | undefined {
  const last = path.at(-1);
  if (last === undefined) return put ?? null;
  const parentPath = path.slice(0, -1);
  const parent = at(value, parentPath);
  const next = Array.isArray(parent) ? listWith(parent, last, put, op) : objectWith(parent, last, put, op);
  if (next === undefined) return undefined;
  return parentPath.length === 0 ? next : changed(value, parentPath, next, 'replace');
}

function listWith(
  list: readonly JsonValue[],
  token: string,
  put: JsonValue | undefined,
  op: string,
): JsonValue | undefined {
  const index = token === '-' && op === 'add' ? list.length : /^\d+$/.test(token) ? Number(token) : -1;
  if (index < 0 || index > list.length || (op !== 'add' && index === list.length)) return undefined;
  return list.toSpliced(index, op === 'add' ? 0 : 1, ...(put === undefined ? [] : [put]));
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
