import {
  isArchived,
  type RowStorage,
  type RowWrite,
  type StoredHead,
  type StoredRows,
} from '@vitrine/core/stores';
import { sameHead } from '../same-head.ts';
import type { KeptSqlite, SqliteQueries } from './kept-sqlite.ts';
import { holdFiles, holdOnlyFiles, sqliteFiles } from './sqlite-files.ts';

/** A session in its table. */
type Entry = StoredHead & { readonly key: number };

/** The rows of one owner in SQLite, one transaction a write. */
export function sqliteRows(database: KeptSqlite, owner: string): RowStorage {
  const { read, write } = database;

  function entryOf({ all }: SqliteQueries, id: string): Entry | null {
    const [found] = all('SELECT key, head, records FROM sessions WHERE owner = ? AND id = ?', owner, id);
    if (found === undefined) return null;
    return { key: Number(found['key']), text: String(found['head']), records: Number(found['records']) };
  }

  return {
    durability: 'process-crash',
    blobs: sqliteFiles(database, owner),
    heads: () =>
      read(({ all }) => {
        const found = all('SELECT id, head, records FROM sessions WHERE owner = ?', owner);
        return new Map(found.map(({ id, head, records }) => [String(id), headOf(head, records)]));
      }),
    head: (id) =>
      read((queries) => {
        const entry = entryOf(queries, id);
        return entry && headOf(entry.text, entry.records);
      }),
    read: (id) =>
      read((queries) => {
        const entry = entryOf(queries, id);
        return entry && readSession(queries, entry);
      }),
    rows: (id, names) =>
      read((queries) => {
        const key = entryOf(queries, id)?.key ?? null;
        const wanted =
          'SELECT name, text FROM rows WHERE session = ? AND name IN (SELECT value FROM json_each(?))';
        return new Map(queries.all(wanted, key, JSON.stringify(names)).map(nameAndText));
      }),
    write: (id, wanted) =>
      write(
        (queries) => {
          const entry = entryOf(queries, id);
          if (!sameHead(entry, wanted.expected)) return false;
          const sql =
            'INSERT INTO sessions (owner, id, head, records) VALUES (?, ?, ?, 0) ON CONFLICT DO UPDATE SET head = excluded.head, records = 0';
          queries.run(sql, owner, id, wanted.head);
          const key = entry?.key ?? entryOf(queries, id)?.key;
          if (key !== undefined) writeRows(queries, key, wanted);
          holdOnlyFiles(queries, owner, id, wanted.blobs ?? []);
          return true;
        },
        { erases: wanted.expected !== null && wanted.drop === 'rest' },
      ),
    append: (id, { expected, record, head, blobs = [] }) =>
      write((queries) => {
        const { run } = queries;
        const entry = entryOf(queries, id);
        if (entry === null || !sameHead(entry, expected)) return false;
        const { key, records } = entry;
        if (record !== null)
          run('INSERT INTO records (session, number, text) VALUES (?, ?, ?)', key, records, record);
        const count = records + (record === null ? 0 : 1);
        run('UPDATE sessions SET head = ?, records = ? WHERE key = ?', head ?? entry.text, count, key);
        holdFiles(queries, owner, id, blobs);
        return true;
      }),
    remove: (id, expected) =>
      write(
        (queries) => {
          const entry = entryOf(queries, id);
          if (expected !== undefined && !sameHead(entry, expected)) return false;
          if (entry !== null) queries.run('DELETE FROM sessions WHERE key = ?', entry.key);
          holdOnlyFiles(queries, owner, id, null);
          return true;
        },
        { erases: true },
      ),
  };
}

function readSession({ all }: SqliteQueries, { key, text, records }: Entry): StoredRows {
  const live = all('SELECT name, text FROM rows WHERE session = ?', key).map(nameAndText);
  const tail = all('SELECT text FROM records WHERE session = ? ORDER BY number', key);
  return {
    text,
    records,
    rows: new Map(live.filter(([name]) => !isArchived(name))),
    tail: tail.map((row) => String(row['text'])),
  };
}

function writeRows({ run }: SqliteQueries, key: number, { put, drop }: RowWrite): void {
  run('DELETE FROM records WHERE session = ?', key);
  if (drop === 'rest') run('DELETE FROM rows WHERE session = ?', key);
  else for (const name of drop) run('DELETE FROM rows WHERE session = ? AND name = ?', key, name);
  const sql =
    'INSERT INTO rows (session, name, text) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text';
  for (const [name, text] of put) run(sql, key, name, text);
}

function headOf(text: unknown, records: unknown): StoredHead {
  return { text: String(text), records: Number(records) };
}

function nameAndText({ name, text }: Record<string, unknown>): readonly [string, string] {
  return [String(name), String(text)];
}
