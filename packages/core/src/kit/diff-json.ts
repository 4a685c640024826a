/** One difference between two values: what stood at a path, and what stands there now. */
export type JsonDifference = {
  /** Keys from the root; of a list the place where the item stands now, or stood before it was removed. */
  readonly path: readonly string[];
  readonly kind: 'added' | 'removed' | 'changed';
  /** Absent when it was added. */
  readonly before?: unknown;
  /** Absent when it was removed. */
  readonly after?: unknown;
};

type Entry = { readonly key: string; readonly name: string; readonly value: unknown };

/**
 * Where two JSON values differ, from the root down, as deep as both sides have something. What is the same reference is
 * not looked at. Items of lists that have an `id` are compared with the item of that id, others by place.
 */
export function diffJson(before: unknown, after: unknown): readonly JsonDifference[] {
  const found: JsonDifference[] = [];
  compare(before, after, []);
  return found;

  function compare(a: unknown, b: unknown, path: readonly string[]): void {
    if (Object.is(a, b)) return;
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) {
      found.push({ path, kind: 'changed', before: a, after: b });
      return;
    }
    const old = new Map(entriesOf(a).map((entry) => [entry.key, entry]));
    for (const { key, name, value } of entriesOf(b)) {
      const match = old.get(key);
      old.delete(key);
      if (match) compare(match.value, value, [...path, name]);
      else found.push({ path: [...path, name], kind: 'added', after: value });
    }
    for (const { name, value } of old.values())
      found.push({ path: [...path, name], kind: 'removed', before: value });
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function entriesOf(value: object): Entry[] {
  const entries = Object.entries(value) as [string, unknown][];
  if (!Array.isArray(value)) return entries.map(([name, child]) => ({ key: name, name, value: child }));
  const ids = entries.map(([, child]) => idOf(child));
  const isById = ids.every((id) => id !== null) && new Set(ids).size === ids.length;
  return entries.map(([name, child], index) => ({
    key: isById ? `id ${ids[index]}` : name,
    name,
    value: child,
  }));
}

function idOf(value: unknown): string | null {
  return isContainer(value) && 'id' in value && typeof value.id === 'string' ? value.id : null;
}
