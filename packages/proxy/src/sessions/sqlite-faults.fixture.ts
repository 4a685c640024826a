import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { InjectedErrors, RawTexts } from '@vitrine/testing';
import { keptAsUtf8 } from './kept-as-utf8.fixture.ts';
import { createSqliteThreads, sessionsInThread, type SqliteSessions } from './sqlite/sqlite-sessions.ts';

/**
 * Indexes of the numbers that a faulty thread and its test share: writes so far, the write that fails (0 for none),
 * remaining characters.
 */
export const shared = { writes: 0, dies: 1, room: 2 } as const;

/** SQLite in its own thread that fails on demand; injected errors concern all its databases. */
export function faultySqlite(): {
  readonly injectedErrors: InjectedErrors;
  readonly open: (path: string) => SqliteSessions;
} {
  const numbers = new Float64Array(new SharedArrayBuffer(24));
  numbers[shared.room] = Infinity;
  const threads = createSqliteThreads(async () => {
    const file = new URL('faulty-sqlite-worker.fixture.ts', import.meta.url);
    return new Worker(file, { workerData: { missing: '', numbers } });
  });
  const writes = (): number => numbers[shared.writes] ?? 0;
  return {
    open: (path) => sessionsInThread(path, threads),
    injectedErrors: {
      failAt: (write) => (numbers[shared.dies] = write === null ? 0 : writes() + write),
      writes,
      limit: (characters) => (numbers[shared.room] = characters ?? Infinity),
    },
  };
}

/** The path of a new database, in a memory file system where there is one. */
export function temporaryDatabase(): { readonly path: string; readonly erase: () => void } {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'vitrine-sessions-'));
  return {
    path: join(folder, 'sessions.db'),
    erase: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const tables = {
  sessions: { key: 'id', text: 'head' },
  rows: { key: "session || ' ' || name", text: 'text' },
  records: { key: "session || ' ' || number", text: 'text' },
  files: { key: 'hash', text: 'type' },
  holds: { key: "id || ' ' || hash", text: 'since' },
} as const;
type Table = keyof typeof tables;

/** The texts in a file of one owner; keys are a table and a key in it. */
export function rawSqlite(path: string, owner: string): RawTexts {
  const { kept, given } = keptAsUtf8();
  function within<Value>(run: (database: DatabaseSync) => Value): Value {
    const database = new DatabaseSync(path);
    try {
      return run(database);
    } finally {
      database.close();
    }
  }
  const parts = (key: string): [Table, string] => JSON.parse(key) as [Table, string];
  return {
    keys: () =>
      within((database) =>
        (Object.keys(tables) as Table[]).flatMap((table) =>
          database
            .prepare(`SELECT ${tables[table].key} AS key FROM ${table}`)
            .all()
            .map(({ key }) => JSON.stringify([table, key])),
        ),
      ),
    get: (at) =>
      within((database) => {
        const [table, key] = parts(at);
        const { text, key: column } = tables[table];
        const found = database.prepare(`SELECT ${text} AS text FROM ${table} WHERE ${column} = ?`).get(key);
        return found === undefined ? null : given(String(found['text']));
      }),
    set: (at, text) =>
      within((database) => {
        const [table, key] = parts(at);
        const { text: column, key: name } = tables[table];
        if (text === null) database.prepare(`DELETE FROM ${table} WHERE ${name} = ?`).all(key);
        else if (
          table === 'sessions' &&
          database.prepare('SELECT 1 FROM sessions WHERE id = ?').get(key) === undefined
        )
          database
            .prepare('INSERT INTO sessions (owner, id, head, records) VALUES (?, ?, ?, 0)')
            .all(owner, key, kept(text));
        else database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${name} = ?`).all(kept(text), key);
      }),
    head: (id) => JSON.stringify(['sessions', id]),
  };
}
