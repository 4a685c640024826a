import type pg from 'pg';
import type { InjectedErrors, RawTexts } from '@vitrine/testing';
import { keptAsUtf8 } from './kept-as-utf8.fixture.ts';
import type { PostgresPool } from '../kit/postgres.ts';

/** A pool that fails on demand: a write is one statement, which is sent (1) and answered (2). */
export function faultyPool(pool: pg.Pool): {
  readonly pool: Pick<PostgresPool, 'query'>;
  readonly injectedErrors: InjectedErrors;
} {
  let writes = 0;
  let dies: number | null = null;
  let room = Infinity;

  function count(): void {
    writes++;
    if (dies !== null && writes >= dies) throw new Error('the connection has died');
  }

  return {
    pool: {
      async query(text, values) {
        const isWrite =
          values !== undefined && /(?:write|append|remove)_session\(|(?:put|sweep)_session_file/.test(text);
        if (isWrite) count();
        const isLarger = isWrite && /(?:write|append)_session\(|put_session_file/.test(text);
        if (isLarger) room -= JSON.stringify(values).length;
        // Deleting rows needs no significant space.
        if (isLarger && room < 0) throw new Error('could not extend file: no space left on device');
        const result = await pool.query(text, values);
        if (isWrite) count();
        return result;
      },
    },
    injectedErrors: {
      failAt: (write) => (dies = write === null ? null : writes + write),
      writes: () => writes,
      limit: (characters) => (room = characters ?? Infinity),
    },
  };
}

/** The texts in the tables of a prefix; keys are a table and a key in it. */
export function rawPostgres(pool: pg.Pool, prefix: string): RawTexts {
  const { kept, given } = keptAsUtf8();
  const tables: Readonly<Record<string, readonly [key: string, text: string]>> = {
    [`${prefix}sessions`]: ['id', 'head'],
    [`${prefix}session_rows`]: ["session || ' ' || name", 'text'],
    [`${prefix}session_records`]: ["session || ' ' || number", 'text'],
    [`${prefix}session_files`]: ['hash', 'type'],
    [`${prefix}session_holds`]: ["id || ' ' || hash", 'since'],
  };
  const parts = (at: string): readonly [table: string, key: string, column: string, text: string] => {
    const [table = '', key = ''] = JSON.parse(at) as string[];
    const [column = '', text = ''] = tables[table] ?? [];
    return [table, key, column, text];
  };
  return {
    async keys() {
      const keys: string[] = [];
      for (const [table, [column]] of Object.entries(tables)) {
        const { rows } = await pool.query(`SELECT ${column} AS key FROM ${table} ORDER BY 1`);
        keys.push(...rows.map(({ key }) => JSON.stringify([table, key])));
      }
      return keys;
    },
    async get(at) {
      const [table, key, column, text] = parts(at);
      const { rows } = await pool.query(`SELECT ${text} AS text FROM ${table} WHERE ${column} = $1`, [key]);
      return rows.length === 0 ? null : given(String(rows[0].text));
    },
    async set(at, value) {
      const [table, key, column, text] = parts(at);
      if (value === null) await pool.query(`DELETE FROM ${table} WHERE ${column} = $1`, [key]);
      else {
        const insert = `INSERT INTO ${table} (owner, id, head, records) VALUES ('', $1, $2, 0) ON CONFLICT (owner, id) DO UPDATE SET head = $2`;
        const update = `UPDATE ${table} SET ${text} = $2 WHERE ${column} = $1`;
        await pool.query(table.endsWith('sessions') ? insert : update, [key, kept(value)]);
      }
    },
    head: (id) => JSON.stringify([`${prefix}sessions`, id]),
  };
}
