import type { BlobRows } from '@vitrine/core/stores';
import type { KeptSqlite, SqliteQueries } from './kept-sqlite.ts';

/**
 * So long, in milliseconds, a file that was put may wait for the message that it belongs to. What is older when another
 * is put, by whomever, was left by a page that died in between, and goes.
 */
const graceMs = 24 * 60 * 60 * 1000;

/** The files of one owner in SQLite. */
export function sqliteFiles({ read, write }: KeptSqlite, owner: string): BlobRows {
  return {
    async put(id, { hash, bytes, mediaType }) {
      await write((queries) => {
        sweep(queries);
        // What a stored message holds stays held, and then waits for the message that it was put again for.
        const held =
          'INSERT INTO holds (owner, hash, id, since) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET since = iif(since IS NULL, NULL, excluded.since), again = iif(since IS NULL, excluded.since, NULL)';
        queries.run(held, owner, hash, id, Date.now());
        const kept =
          'INSERT INTO files (owner, hash, type, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
        queries.run(kept, owner, hash, mediaType, new Uint8Array(bytes));
        return true;
      });
    },
    get: (hash) =>
      read(({ all }) => {
        const [found] = all('SELECT type, bytes FROM files WHERE owner = ? AND hash = ?', owner, hash);
        // Something else may have been put in its place.
        if (!(found?.['bytes'] instanceof Uint8Array)) return null;
        return { bytes: new Uint8Array(found['bytes']).buffer, mediaType: String(found['type']) };
      }),
  };
}

/** A session holds these files from now on. */
export function holdFiles(
  { run }: SqliteQueries,
  owner: string,
  id: string,
  hashes: readonly string[],
): void {
  const sql =
    'INSERT INTO holds (owner, hash, id, since) VALUES (?, ?, ?, NULL) ON CONFLICT DO UPDATE SET since = NULL, again = NULL';
  for (const hash of hashes) run(sql, owner, hash, id);
}

/** A session holds these and no others, but for those that still wait for their message; `null`: nothing at all. */
export function holdOnlyFiles(
  queries: SqliteQueries,
  owner: string,
  id: string,
  hashes: readonly string[] | null,
): void {
  const kept = new Set(hashes);
  const held = queries.all('SELECT hash, since, again FROM holds WHERE owner = ? AND id = ?', owner, id);
  const waitOn = 'UPDATE holds SET since = again, again = NULL WHERE owner = ? AND hash = ? AND id = ?';
  for (const { hash, since, again } of held) {
    if (kept.has(String(hash))) continue;
    if (hashes === null || (since === null && again === null)) letGo(queries, owner, id, String(hash));
    else if (again !== null) queries.run(waitOn, owner, String(hash), id);
  }
  const known = new Set(held.filter(({ since }) => since === null).map(({ hash }) => String(hash)));
  holdFiles(
    queries,
    owner,
    id,
    [...kept].filter((hash) => !known.has(hash)),
  );
}

/** Lets go of what was put and nobody came back for. */
function sweep(queries: SqliteQueries): void {
  const old = queries.all(
    'SELECT owner, id, hash FROM holds WHERE since IS NOT NULL AND since < ?',
    Date.now() - graceMs,
  );
  for (const { owner, id, hash } of old) letGo(queries, String(owner), String(id), String(hash));
}

/** A file goes with the last session that holds it. */
function letGo({ run }: SqliteQueries, owner: string, id: string, hash: string): void {
  run('DELETE FROM holds WHERE owner = ? AND hash = ? AND id = ?', owner, hash, id);
  const unheld =
    'DELETE FROM files WHERE owner = ?1 AND hash = ?2 AND NOT EXISTS (SELECT 1 FROM holds WHERE owner = ?1 AND hash = ?2)';
  run(unheld, owner, hash);
}
