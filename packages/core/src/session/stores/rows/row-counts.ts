import type { Row } from './row.ts';

/** How many rows name each row, by its name. */
export type RowCounts = Map<string, number>;

/** What a new root in the place of the old one brings and takes away. */
export type RowChange = {
  readonly put: readonly Row[];
  readonly drop: readonly string[];
  /** Makes the counts those of the new root. */
  readonly commit: () => void;
};

/** Compares what two roots hold by what changed between them: rows that both name are not walked. */
export function changeRoot(counts: RowCounts, before: Row | null, after: Row): RowChange {
  const changed = new Map<string, number>();
  const put: Row[] = [];
  const dropped: Row[] = [];

  function add(row: Row, by: 1 | -1): number {
    const count = (changed.get(row.name) ?? counts.get(row.name) ?? 0) + by;
    changed.set(row.name, count);
    return count;
  }

  function take(row: Row): void {
    if (add(row, 1) > 1) return;
    put.push(row);
    for (const ref of row.refs) take(ref);
  }

  function leave(row: Row): void {
    if (add(row, -1) > 0) return;
    dropped.push(row);
    for (const ref of row.refs) leave(ref);
  }

  take(after);
  if (before !== null) leave(before);
  return {
    put,
    drop: dropped.map(({ name }) => name),
    commit() {
      for (const [name, count] of changed) {
        if (count > 0) counts.set(name, count);
        else counts.delete(name);
      }
    },
  };
}

/** The counts of everything that a root holds. */
export function countsOf(root: Row): RowCounts {
  const counts: RowCounts = new Map();
  changeRoot(counts, null, root).commit();
  return counts;
}
