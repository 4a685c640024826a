import type { StoredHead } from '@vitrine/persist';
import {
  type HeadsPage,
  type NamedRows,
  type OwnerLimits,
  pageHeads,
  pageSize,
  type SessionCursor,
  type SessionPage,
} from '../row-pages.ts';
import type { SqliteQueries, SqliteRow } from './open-sqlite.ts';

/** The place of a session in a transaction: its owner and its id, with the limits of a write that may add to it. */
export type SessionPlace = SqliteQueries & {
  readonly owner: string;
  readonly id: string;
  readonly limits?: OwnerLimits | null;
};

export type Entry = StoredHead & { readonly key: number; readonly stamp: string; readonly bytes: number };

/** The session of an owner; null for an unknown one. */
export function entryOf({ all, owner, id }: SessionPlace): Entry | null {
  const sql = 'SELECT key, head, records, stamp, bytes FROM sessions WHERE owner = ? AND id = ?';
  const [found] = all(sql, owner, id);
  if (found === undefined) return null;
  return {
    key: Number(found['key']),
    ...headOf(found),
    stamp: String(found['stamp']),
    bytes: Number(found['bytes']),
  };
}

export function readHead({ all, owner, id }: SessionPlace): StoredHead | null {
  const [found] = all('SELECT head, records FROM sessions WHERE owner = ? AND id = ?', owner, id);
  return found === undefined ? null : headOf(found);
}

/** Heads in the order of their ids, after the given one. */
export function readHeads(queries: SqliteQueries, owner: string, after: string | null): HeadsPage {
  const heads: (readonly [id: string, head: StoredHead])[] = [];
  const sql = 'SELECT id, head, records FROM sessions WHERE owner = ? AND id > ? ORDER BY id';
  let size = 0;
  for (const found of queries.each(sql, owner, after ?? '')) {
    if (heads.length === pageHeads || (heads.length > 0 && size >= pageSize))
      return { heads, next: heads.at(-1)?.[0] ?? null };
    heads.push([String(found['id']), headOf(found)]);
    size += String(found['head']).length;
  }
  return { heads, next: null };
}

export function readPage(place: SessionPlace, cursor: SessionCursor | null): SessionPage | 'changed' | null {
  const entry = entryOf(place);
  if (entry === null) return cursor === null ? null : 'changed';
  const { key, stamp, text, records } = entry;
  const from = cursor ?? { stamp, records, at: '' };
  if (from.stamp !== stamp) return 'changed';
  const head = { text, records: from.records };
  const rows: [name: string, text: string][] = [];
  let size = 0;
  if (typeof from.at === 'string') {
    // Archived rows are read by name only.
    const sql = `SELECT name, text FROM rows WHERE session = ? AND name > ? AND substr(name, 1, 4) <> 'run.' ORDER BY name`;
    for (const { name, text: row } of place.each(sql, key, from.at)) {
      if (size >= pageSize) return { head, rows, tail: [], next: { ...from, at: rows.at(-1)?.[0] ?? '' } };
      rows.push([String(name), String(row)]);
      size += String(row).length;
    }
  }
  const tail: string[] = [];
  const first = typeof from.at === 'number' ? from.at : 0;
  const sql = 'SELECT text FROM records WHERE session = ? AND number >= ? AND number < ? ORDER BY number';
  for (const found of place.each(sql, key, first, from.records)) {
    if (size >= pageSize) return { head, rows, tail, next: { ...from, at: first + tail.length } };
    tail.push(String(found['text']));
    size += String(found['text']).length;
  }
  return { head, rows, tail, next: null };
}

/** Named rows, as many as fit into a page. */
export function readRows(place: SessionPlace, names: readonly string[]): NamedRows {
  const key = entryOf(place)?.key ?? null;
  const rows: [name: string, text: string][] = [];
  let size = 0;
  for (const [index, name] of names.entries()) {
    if (size >= pageSize || index >= pageNames) return { rows, rest: names.slice(index) };
    const [found] = place.all('SELECT text FROM rows WHERE session = ? AND name = ?', key, name);
    if (found === undefined) continue;
    rows.push([name, String(found['text'])]);
    size += String(found['text']).length;
  }
  return { rows, rest: [] };
}

/** Unknown names take time as well. */
const pageNames = 10_000;

function headOf({ head, records }: SqliteRow): StoredHead {
  return { text: String(head), records: Number(records) };
}
