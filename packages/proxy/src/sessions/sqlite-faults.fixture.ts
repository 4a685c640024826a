import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawTexts, StoreFaults } from '@vitrine/core/testing';
import { keptAsUtf8 } from './kept-as-utf8.fixture.ts';

/** SQLite that fails when it is told to; one at a time, because the faults concern all databases of the process. */
export function faultySqlite(): { readonly faults: StoreFaults; readonly restore: () => void } {
  let writes = 0;
  let dies: number | null = null;
  let room = Infinity;
  const { run } = StatementSync.prototype;
  const { exec } = DatabaseSync.prototype;

  function count(): void {
    writes++;
    if (dies !== null && writes >= dies) throw new Error('the process has died');
  }

  StatementSync.prototype.run = function faulty(this: StatementSync, ...values: unknown[]) {
    count();
    if (!this.sourceSQL.startsWith('DELETE')) {
      room -= values.join('').length;
      if (room < 0) throw new Error('database or disk is full');
    }
    return Reflect.apply(run, this, values) as ReturnType<typeof run>;
  };
  DatabaseSync.prototype.exec = function faulty(this: DatabaseSync, sql) {
    if (sql === 'COMMIT') count();
    Reflect.apply(exec, this, [sql]);
  };

  return {
    faults: {
      failAt: (write) => (dies = write === null ? null : writes + write),
      writes: () => writes,
      limit: (characters) => (room = characters ?? Infinity),
    },
    restore() {
      StatementSync.prototype.run = run;
      DatabaseSync.prototype.exec = exec;
    },
  };
}

/** The path of a database that is not there yet, where there is memory in a place without a disk to wait for. */
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

/** The texts in a file that has one owner; keys are a table and a key in it. */
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
