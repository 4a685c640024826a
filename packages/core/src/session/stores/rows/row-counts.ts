import type { Row } from './row.ts';

/** The number of references to each row, by its name. */
export type RowCounts = Map<string, number>;

/** The difference between an old root and a new one. */
export type RowChange = {
  readonly put: readonly Row[];
  readonly drop: readonly string[];
  /** Updates the counts to those of the new root. */
  readonly commit: () => void;
};

/** Compares two roots by walking only the rows that changed. Rows that both reference are skipped. */
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

/** Counts all references below a root. */
export function countsOf(root: Row): RowCounts {
  const counts: RowCounts = new Map();
  changeRoot(counts, null, root).commit();
  return counts;
}
