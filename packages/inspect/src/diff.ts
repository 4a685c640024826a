import type { AgentState } from '@vitrine/core/internal/graph/types';
import { documentJson } from '@vitrine/core/internal/kit/json';

/** One difference between two states; `path` begins at the state. */
export type StateDifference = JsonDifference;

/**
 * The differences between two states. The cost depends on the changes between them and not on the history. Messages,
 * steps and calls are matched by id at any index.
 */
export function diff(before: AgentState, after: AgentState): readonly StateDifference[] {
  return diffJson(before, after);
}

/** One difference between two values, with the value before and after. */
export type JsonDifference = {
  /** Keys from the root. In a list, the key is the index of the item now, or before it was removed. */
  readonly path: readonly string[];
  /** `moved` describes a list: its remaining items are in another order. */
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /** Absent for an addition. For `moved`: the ids of the remaining items in their former order. */
  readonly before?: unknown;
  /** Absent for a removal. For `moved`: the same ids in their present order. */
  readonly after?: unknown;
};

type Items = readonly { readonly id: string }[];

/** Depth limit: differences below it are reported as one change at that level. No state is deeper. */
const deepest = documentJson.depth;

/**
 * Finds the differences between two JSON values, as deep as both sides have a value. Equal references are skipped.
 * Items with an `id` are compared with the item of the same id, others by index.
 */
export function diffJson(before: unknown, after: unknown): readonly JsonDifference[] {
  const found: JsonDifference[] = [];
  // One path is shared and changed in place, because most values do not differ and need none.
  const path: string[] = [];
  compare(before, after, 0);
  return found;

  function addDifference(difference: Omit<JsonDifference, 'path'>): void {
    found.push({ path: path.slice(), ...difference });
  }

  function at(name: string, act: () => void): void {
    path.push(name);
    act();
    path.pop();
  }

  function compare(a: unknown, b: unknown, depth: number): void {
    if (Object.is(a, b)) return;
    const isPlace = !isContainer(a) || !isContainer(b) || depth >= deepest;
    if (isPlace || Array.isArray(a) !== Array.isArray(b))
      addDifference({ kind: 'changed', before: a, after: b });
    else if (!Array.isArray(a) || !Array.isArray(b)) compareNamed(a, b, depth);
    else if (isSameRow(a, b) || !isByIds(a) || !isByIds(b)) compareNamed(a, b, depth);
    else compareItems(a, b, depth);
  }

  /** Compares objects by key, and lists by index. */
  function compareNamed(a: object, b: object, depth: number): void {
    const [old, now] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
    for (const name of Object.keys(b)) {
      if (Object.is(old[name], now[name]) && Object.hasOwn(a, name)) continue;
      path.push(name);
      if (Object.hasOwn(a, name)) compare(old[name], now[name], depth + 1);
      else addDifference({ kind: 'added', after: now[name] });
      path.pop();
    }
    for (const name of Object.keys(a))
      if (!Object.hasOwn(b, name)) at(name, () => addDifference({ kind: 'removed', before: old[name] }));
  }

  function compareItems(a: Items, b: Items, depth: number): void {
    const [old, now] = [new Map(a.map((item) => [item.id, item])), new Set(b.map(({ id }) => id))];
    for (const [place, item] of b.entries()) {
      const match = old.get(item.id);
      at(String(place), () =>
        match ? compare(match, item, depth + 1) : addDifference({ kind: 'added', after: item }),
      );
    }
    for (const [place, item] of a.entries())
      if (!now.has(item.id)) at(String(place), () => addDifference({ kind: 'removed', before: item }));
    const stood = a.flatMap(({ id }) => (now.has(id) ? [id] : []));
    const stands = b.flatMap(({ id }) => (old.has(id) ? [id] : []));
    if (stood.some((id, index) => id !== stands[index]))
      addDifference({ kind: 'moved', before: stood, after: stands });
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** True for lists of equal length with the same ids in the same order: the usual case, which needs no map. */
function isSameRow(a: readonly unknown[], b: readonly unknown[]): boolean {
  return (
    a.length === b.length && a.every((item, place) => idOf(item) !== null && idOf(item) === idOf(b[place]))
  );
}

function isByIds(list: readonly unknown[]): list is Items {
  return list.every((item) => idOf(item) !== null) && new Set(list.map(idOf)).size === list.length;
}

function idOf(value: unknown): string | null {
  return isContainer(value) && 'id' in value && typeof value.id === 'string' ? value.id : null;
}
