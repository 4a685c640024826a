import { nothing } from '@vitrine/core/internal/kit/memoize';
import { contentHash, contentHashLength, hasContentHash } from '@vitrine/core/internal/kit/hash';
import { blobsIn } from '@vitrine/core/internal/session/store/attachments';

/**
 * The kind of a row: content (a message, a text, plugin state, events, an execution, a part of a head), or a node
 * that references others.
 */
type RowKind =
  'msg' | 'txt' | 'plg' | 'evt' | 'run' | 'hed' | 'pag' | 'ste' | 'sta' | 'ret' | 'cpt' | 'ref' | 'ses';

/** An immutable part of a stored session, named by its kind and the hash of its content. */
export type Row = {
  readonly name: string;
  readonly refs: readonly Row[];
  /** The text; null once it has been written, because stored text need not stay in memory. */
  text: string | null;
};

/** Kinds without references to other rows. Their text is their content. */
const leaves: readonly string[] = ['msg', 'txt', 'plg', 'evt', 'run', 'hed'] satisfies RowKind[];

export function isLeaf(name: string): boolean {
  return leaves.includes(name.slice(0, 3));
}

/** Creates a row that references no others but files. */
export function leaf(kind: RowKind, body: unknown): Row {
  const text = JSON.stringify(body);
  const name = `${kind}.${contentHash(text)}`;
  return { name, refs: blobRows(name, text, body), text };
}

/** Creates a row that references others, in groups. */
export function node(kind: RowKind, groups: readonly (readonly Row[])[], body: unknown = 0): Row {
  const refs = groups.flat();
  const names = groups.map((group) => group.map(({ name }) => name));
  const text = JSON.stringify([names, body]);
  return { name: `${kind}.${contentHash(text)}`, refs, text };
}

/** True when a text is the one that the row was named after. */
export function isTextOf(name: string, text: string): boolean {
  return name.length === 4 + contentHashLength && hasContentHash(text, name, 4);
}

/** Kinds whose texts may reference stored files. */
const speaking: readonly string[] = ['msg.', 'evt.'];

/**
 * The stored files in a row, as rows that it references, so that they are counted like all others.
 * They have no text and are not written; the storage learns which files a session holds.
 */
export function blobRows(name: string, text: string, body: unknown): readonly Row[] {
  // Most rows hold no file, and a letter is found faster than one of the many quotes.
  if (!speaking.includes(name.slice(0, 4)) || !text.includes('blob":{"')) return nothing;
  return [...blobsIn(body)].map((hash) => ({ name: `blb.${hash}`, refs: [], text: null }));
}

/** The file hash in a name; null for the name of a row. */
export function blobOf(name: string): string | null {
  return name.startsWith('blb.') ? name.slice(4) : null;
}

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

export function countsOf(root: Row): RowCounts {
  const counts: RowCounts = new Map();
  changeRoot(counts, null, root).commit();
  return counts;
}
