import { freeze } from './freeze.ts';
import { work } from './work.ts';

/**
 * The history of lists that grow by appending: each list is a prefix of the longest one. A list with a replaced item
 * begins a new log, which records how many items it shares with the former.
 */
type Log = {
  length: number;
  readonly parent: Log | null;
  /** Number of items at the start shared with the lists of the parent. */
  readonly shared: number;
  /** An object common to all logs that derive from one list. */
  readonly family: object;
};

const logs = new WeakMap<readonly unknown[], Log>();

/** Most logs walked to a common ancestor; farther relatives are compared item by item. */
const maxWay = 16;

function newLog(length: number): Log {
  return { length, parent: null, shared: 0, family: {} };
}

function logOf(list: readonly unknown[]): Log {
  let log = logs.get(list);
  if (log === undefined) {
    log = newLog(list.length);
    logs.set(list, log);
  }
  return log;
}

/**
 * The list with items appended; the same list when there are none. The relation of the two lists is recorded, so that
 * a caller who knows the shorter one examines only the new items.
 */
export function grown<Item>(list: readonly Item[], items: readonly Item[]): readonly Item[] {
  if (items.length === 0) return list;
  // `concat` takes a third of the time of spreading both.
  const next = list.concat(items);
  work.copied += next.length;
  // Empty lists have no items in common.
  const known = list.length === 0 ? newLog(0) : logOf(list);
  // Only the longest list of a log continues it. After another list grew from the same one, the two may differ.
  const log =
    known.length === list.length
      ? known
      : { length: list.length, parent: known, shared: list.length, family: known.family };
  log.length = next.length;
  logs.set(next, log);
  return frozenLike(list, next, items);
}

/**
 * The list with one item replaced; the same list when the item is equal. The items before it are recorded as shared.
 */
export function replacedAt<Item>(list: readonly Item[], at: number, item: Item): readonly Item[] {
  if (list[at] === item) return list;
  const next = list.with(at, item);
  work.copied += next.length;
  const parent = logOf(list);
  logs.set(next, { length: next.length, parent, shared: at, family: parent.family });
  return frozenLike(list, next, [item]);
}

/**
 * The list with one item replaced, or appended after the last one. It records no shared items, for lists that nobody
 * compares.
 */
export function withItem<Item>(list: readonly Item[], at: number, item: Item): readonly Item[] {
  if (list[at] === item) return list;
  const next = at < list.length ? list.with(at, item) : list.concat([item]);
  work.copied += next.length;
  return frozenLike(list, next, [item]);
}

/** Freezes the new list: when the old one is deeply frozen, only the new items have to be. */
function frozenLike<Item>(
  list: readonly Item[],
  next: readonly Item[],
  items: readonly Item[],
): readonly Item[] {
  if (!Object.isFrozen(list)) return next;
  for (const item of items) freeze(item);
  return Object.freeze(next);
}

/** Number of equal objects at the start of two lists; found without comparison where one derives from the other. */
export function sharedLength(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  if (a === b) return length;
  let at = Math.min(length, knownShared(logs.get(a), logs.get(b)));
  const from = at;
  while (at < length && a[at] === b[at]) at++;
  work.units += at - from;
  return at;
}

/** Number of items that the lists of two logs certainly share: up to their common ancestor. */
function knownShared(a: Log | undefined, b: Log | undefined): number {
  if (a === undefined || b === undefined || a.family !== b.family) return 0;
  if (a === b) return Infinity;
  const way = new Map<Log, number>();
  let shared = Infinity;
  for (let log: Log | null = a, steps = 0; log !== null && steps < maxWay; log = log.parent, steps++) {
    way.set(log, shared);
    shared = Math.min(shared, log.shared);
  }
  shared = Infinity;
  for (let log: Log | null = b, steps = 0; log !== null && steps < maxWay; log = log.parent, steps++) {
    const other = way.get(log);
    if (other !== undefined) return Math.min(shared, other);
    shared = Math.min(shared, log.shared);
  }
  return 0;
}

/** An object common to all lists that derive from each other; null for a list without relatives. */
export function familyOf(list: readonly unknown[]): object | null {
  return logs.get(list)?.family ?? null;
}
