/** One difference between two values: what stood at a path, and what stands there now. */
export type JsonDifference = {
  /** Keys from the root; of a list the place where the item stands now, or stood before it was removed. */
  readonly path: readonly string[];
  /** `moved` is told of a list: its items that stayed stand in another order. */
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /** Absent when it was added. Of what moved: the ids of those that stayed, as they stood. */
  readonly before?: unknown;
  /** Absent when it was removed. Of what moved: the same ids, as they stand now. */
  readonly after?: unknown;
};

type Items = readonly { readonly id: string }[];

/**
 * Where two JSON values differ, from the root down, as deep as both sides have something. What is the same reference is
 * not looked at. Items of lists that have an `id` are compared with the item of that id, others by place.
 */
export function diffJson(before: unknown, after: unknown): readonly JsonDifference[] {
  const found: JsonDifference[] = [];
  // One list for all: most of what is looked at does not differ, and needs no path.
  const path: string[] = [];
  compare(before, after);
  return found;

  function tell(difference: Omit<JsonDifference, 'path'>): void {
    found.push({ path: path.slice(), ...difference });
  }

  function at(name: string, act: () => void): void {
    path.push(name);
    act();
    path.pop();
  }

  function compare(a: unknown, b: unknown): void {
    if (Object.is(a, b)) return;
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b))
      tell({ kind: 'changed', before: a, after: b });
    else if (!Array.isArray(a) || !Array.isArray(b)) compareNamed(a, b);
    else if (isSameRow(a, b) || !isByIds(a) || !isByIds(b)) compareNamed(a, b);
    else compareItems(a, b);
  }

  /** Objects by their names, lists by place. */
  function compareNamed(a: object, b: object): void {
    const [old, now] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
    for (const name of Object.keys(b)) {
      if (Object.is(old[name], now[name]) && Object.hasOwn(a, name)) continue;
      path.push(name);
      if (Object.hasOwn(a, name)) compare(old[name], now[name]);
      else tell({ kind: 'added', after: now[name] });
      path.pop();
    }
    for (const name of Object.keys(a))
      if (!Object.hasOwn(b, name)) at(name, () => tell({ kind: 'removed', before: old[name] }));
  }

  function compareItems(a: Items, b: Items): void {
    const [old, now] = [new Map(a.map((item) => [item.id, item])), new Set(b.map(({ id }) => id))];
    for (const [place, item] of b.entries()) {
      const match = old.get(item.id);
      at(String(place), () => (match ? compare(match, item) : tell({ kind: 'added', after: item })));
    }
    for (const [place, item] of a.entries())
      if (!now.has(item.id)) at(String(place), () => tell({ kind: 'removed', before: item }));
    const stood = a.flatMap(({ id }) => (now.has(id) ? [id] : []));
    const stands = b.flatMap(({ id }) => (old.has(id) ? [id] : []));
    if (stood.some((id, index) => id !== stands[index]))
      tell({ kind: 'moved', before: stood, after: stands });
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** As many items, with the same id at the same place: the usual case, found without a table. */
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
