import type { BlobRow } from '@vitrine/core/stores';
import type { OwnerLimits } from '../row-pages.ts';
import { overhead } from '../session-quota.ts';
import type { SqliteQueries } from './open-sqlite.ts';
import { countUsage } from './sqlite-usage.ts';

/**
 * Milliseconds that an uploaded file may wait for its message. The next upload of anybody removes older ones, which a
 * page left that died in between.
 */
const graceMs = 24 * 60 * 60 * 1000;

/** A file that no session holds any more; its bytes are erased after the transaction that released it. */
export type LooseFile = { readonly owner: string; readonly hash: string };

/** An uploaded file, its session, and the time in milliseconds. */
type PutFile = {
  readonly owner: string;
  readonly id: string;
  readonly file: BlobRow & { readonly hash: string };
  readonly limits: OwnerLimits | null;
  readonly now: number;
};

/** Keeps a file for a session. */
export function putFile(
  queries: SqliteQueries,
  { owner, id, file, limits, now }: PutFile,
): readonly LooseFile[] {
  const { hash, bytes, mediaType } = file;
  const old = sweep(queries, now);
  // A file of a stored message stays held, and then waits for the new message as well.
  const held =
    'INSERT INTO holds (owner, hash, id, since) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET since = iif(since IS NULL, NULL, excluded.since), again = iif(since IS NULL, excluded.since, NULL)';
  queries.run(held, owner, hash, id, now);
  if (queries.all('SELECT 1 FROM files WHERE owner = ? AND hash = ?', owner, hash).length > 0) return old;
  countUsage(queries, owner, { sessions: 0, bytes: bytes.byteLength + overhead.file }, limits);
  const kept = 'INSERT INTO files (owner, hash, type, bytes) VALUES (?, ?, ?, ?)';
  queries.run(kept, owner, hash, mediaType, new Uint8Array(bytes));
  return old;
}

/** A file that a session holds. */
export function getFile({ all }: SqliteQueries, owner: string, hash: string): BlobRow | null {
  const held = 'EXISTS (SELECT 1 FROM holds WHERE holds.owner = files.owner AND holds.hash = files.hash)';
  const [found] = all(`SELECT type, bytes FROM files WHERE owner = ? AND hash = ? AND ${held}`, owner, hash);
  // The stored value may have been replaced by damage.
  if (!(found?.['bytes'] instanceof Uint8Array)) return null;
  return { bytes: new Uint8Array(found['bytes']).buffer, mediaType: String(found['type']) };
}

/** Adds files to the ones that a session holds. */
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

/**
 * Sets the files that a session holds, except for uploads that still wait for their message; `null` releases all.
 * @returns The files that nobody holds any more.
 */
export function holdOnlyFiles(
  queries: SqliteQueries,
  owner: string,
  id: string,
  hashes: readonly string[] | null,
): readonly LooseFile[] {
  const kept = new Set(hashes);
  const loose: LooseFile[] = [];
  const held = queries.all('SELECT hash, since, again FROM holds WHERE owner = ? AND id = ?', owner, id);
  const waitOn = 'UPDATE holds SET since = again, again = NULL WHERE owner = ? AND hash = ? AND id = ?';
  for (const { hash, since, again } of held) {
    if (kept.has(String(hash))) continue;
    if (hashes === null || (since === null && again === null))
      loose.push(...letGo(queries, owner, id, String(hash)));
    else if (again !== null) queries.run(waitOn, owner, String(hash), id);
  }
  const known = new Set(held.filter(({ since }) => since === null).map(({ hash }) => String(hash)));
  holdFiles(
    queries,
    owner,
    id,
    [...kept].filter((hash) => !known.has(hash)),
  );
  return loose;
}

/** Erases the bytes of a file, unless a session holds it again. */
export function eraseFile(queries: SqliteQueries, { owner, hash }: LooseFile): boolean {
  const unheld =
    'DELETE FROM files WHERE owner = ?1 AND hash = ?2 AND NOT EXISTS (SELECT 1 FROM holds WHERE owner = ?1 AND hash = ?2) RETURNING octet_length(bytes) AS size';
  const [gone] = queries.all(unheld, owner, hash);
  if (gone === undefined) return false;
  countUsage(queries, owner, { sessions: 0, bytes: -(Number(gone['size']) + overhead.file) }, null);
  return true;
}

/** Files that a process released and did not erase. */
export function findLooseFiles({ all }: SqliteQueries): readonly LooseFile[] {
  const found = all('SELECT owner, hash FROM files EXCEPT SELECT owner, hash FROM holds');
  return found.map(({ owner, hash }) => ({ owner: String(owner), hash: String(hash) }));
}

/** Releases uploads that no message used. */
function sweep(queries: SqliteQueries, now: number): readonly LooseFile[] {
  const old = queries.all(
    'SELECT owner, id, hash FROM holds WHERE since IS NOT NULL AND since < ?',
    now - graceMs,
  );
  return old.flatMap(({ owner, id, hash }) => letGo(queries, String(owner), String(id), String(hash)));
}

/** Releases the files of a session; a file is deleted with its last session. */
function letGo({ run, all }: SqliteQueries, owner: string, id: string, hash: string): readonly LooseFile[] {
  run('DELETE FROM holds WHERE owner = ? AND hash = ? AND id = ?', owner, hash, id);
  const others = all('SELECT 1 FROM holds WHERE owner = ? AND hash = ? LIMIT 1', owner, hash);
  return others.length === 0 ? [{ owner, hash }] : [];
}
