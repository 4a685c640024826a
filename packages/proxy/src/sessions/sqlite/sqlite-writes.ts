import type { BlobRow, RowAppend, RowWrite, StoredHead } from '@vitrine/persist';
import { overhead, SessionQuotaError } from '../row-pages.ts';
import type { SqliteQueries } from './open-sqlite.ts';
import { type Entry, entryOf, type SessionPlace } from './sqlite-reads.ts';

/** The data that a finished write leaves to be erased; null when the write was refused. */
export type Leftovers = { readonly sessions: boolean; readonly files: readonly LooseFile[] } | null;

/** The owner of deleted sessions that are not erased yet; no principal can have this name. */
export const nobody = '\0erased';

export function writeSession(place: SessionPlace, wanted: RowWrite): Leftovers {
  const entry = entryOf(place);
  if (!sameHead(entry, wanted.expected)) return null;
  const isAnew = wanted.drop === 'rest';
  const before = { sessions: countOf(place, entry), bytes: entry?.bytes ?? 0 };
  // A session that is replaced is erased in pieces after this transaction.
  const old = isAnew ? null : entry;
  if (isAnew && entry !== null) discard(place, entry);
  const size = sizeOf(wanted.head) + overhead.head;
  const bytes = (old === null ? 0 : old.bytes - sizeOf(old.text) - overhead.head) + size;
  const key = putEntry(place, wanted.head, old);
  const grown = bytes + changeRows(place, key, wanted, old !== null);
  place.run('UPDATE sessions SET bytes = ? WHERE key = ?', grown, key);
  countUsage(place, { sessions: countOf(place, { key }) - before.sessions, bytes: grown - before.bytes });
  const files = holdOnlyFiles(place, wanted.blobs === undefined ? [] : wanted.blobs);
  return { sessions: isAnew && entry !== null, files };
}

/** Appends a small write to the last whole one. */
export function appendToSession(
  place: SessionPlace,
  { expected, record, head, put = new Map(), drop = [], blobs = [] }: RowAppend,
): boolean {
  const entry = entryOf(place);
  if (entry === null || !sameHead(entry, expected)) return false;
  const { key, records, text } = entry;
  const before = countOf(place, entry);
  if (record !== null)
    place.run('INSERT INTO records (session, number, text) VALUES (?, ?, ?)', key, records, record);
  const count = records + (record === null ? 0 : 1);
  const grown =
    (record === null ? 0 : sizeOf(record) + overhead.row) +
    (head === null ? 0 : sizeOf(head) - sizeOf(text)) +
    dropRows(place, key, [...drop, ...put.keys()]) +
    putRows(place, key, put);
  const sql = 'UPDATE sessions SET head = ?, records = ?, bytes = bytes + ? WHERE key = ?';
  place.run(sql, head ?? text, count, grown, key);
  // Whoever reads it in pages would find rows of two heads.
  if (put.size + drop.length > 0)
    place.run('UPDATE sessions SET stamp = ? WHERE key = ?', crypto.randomUUID(), key);
  countUsage(place, { sessions: countOf(place, entry) - before, bytes: grown });
  holdFiles(place, blobs);
  return true;
}

/** Deletes a session; its data are erased after the transaction. */
export function removeSession(place: SessionPlace, expected: StoredHead | undefined): Leftovers {
  const entry = entryOf(place);
  if (expected !== undefined && !sameHead(entry, expected)) return null;
  if (entry !== null) {
    countUsage(place, { sessions: -countOf(place, entry), bytes: -entry.bytes });
    discard(place, entry);
  }
  return { sessions: entry !== null, files: holdOnlyFiles(place, null) };
}

/** The approximate number of bytes that one transaction erases. */
export const pieceBytes = 1024 * 1024;

/** Erases a piece of deleted data; false when nothing is left. */
export function erasePiece(queries: SqliteQueries): boolean {
  const [found] = queries.all('SELECT key FROM sessions WHERE owner = ? LIMIT 1', nobody);
  if (found === undefined) return false;
  const key = Number(found['key']);
  for (const table of ['rows', 'records']) {
    let size = 0;
    const sql = `SELECT rowid AS at, octet_length(text) AS size FROM ${table} WHERE session = ?`;
    const piece: number[] = [];
    for (const row of queries.each(sql, key)) {
      piece.push(Number(row['at']));
      size += Number(row['size']) + overhead.row;
      if (size >= pieceBytes) break;
    }
    const wanted = `DELETE FROM ${table} WHERE rowid IN (SELECT value FROM json_each(?))`;
    if (piece.length > 0) queries.run(wanted, JSON.stringify(piece));
    if (size >= pieceBytes) return true;
  }
  queries.run('DELETE FROM sessions WHERE key = ?', key);
  return true;
}

function discard({ run }: SqliteQueries, { key }: Entry): void {
  run(`UPDATE sessions SET owner = ?, id = ?, head = '', bytes = 0 WHERE key = ?`, nobody, `${key}`, key);
}

function putEntry({ all, run, owner, id }: SessionPlace, head: string, entry: Entry | null): number {
  const stamp = crypto.randomUUID();
  if (entry !== null) {
    run('UPDATE sessions SET head = ?, records = 0, stamp = ? WHERE key = ?', head, stamp, entry.key);
    return entry.key;
  }
  const sql = 'INSERT INTO sessions (owner, id, head, records, stamp) VALUES (?, ?, ?, 0, ?) RETURNING key';
  return Number(all(sql, owner, id, head, stamp)[0]?.['key']);
}

/** Puts and drops rows, and drops all records. Returns the growth of the session in bytes. */
function changeRows(queries: SqliteQueries, key: number, { put, drop }: RowWrite, isOld: boolean): number {
  if (!isOld) return putRows(queries, key, put);
  const gone = queries.all('DELETE FROM records WHERE session = ? RETURNING octet_length(text) AS size', key);
  const names = [...(drop === 'rest' ? [] : drop), ...put.keys()];
  return dropRows(queries, key, names) + putRows(queries, key, put) - sumOf(gone);
}

function putRows({ run }: SqliteQueries, key: number, put: RowWrite['put']): number {
  let grown = 0;
  for (const [name, text] of put) {
    run('INSERT INTO rows (session, name, text) VALUES (?, ?, ?)', key, name, text);
    grown += sizeOf(text) + overhead.row;
  }
  return grown;
}

function dropRows({ all }: SqliteQueries, key: number, names: readonly string[]): number {
  const sql = 'DELETE FROM rows WHERE session = ? AND name = ? RETURNING octet_length(text) AS size';
  let grown = 0;
  for (const name of names) grown -= sumOf(all(sql, key, name));
  return grown;
}

function sumOf(gone: readonly Readonly<Record<string, unknown>>[]): number {
  return gone.reduce((sum, { size }) => sum + Number(size) + overhead.row, 0);
}

/** 1 for a session; 0 for a head alone, which is a tombstone, and for an outbox, whose id begins with "-". */
function countOf({ all, id }: SessionPlace, entry: Pick<Entry, 'key'> | null): number {
  if (entry === null || id.startsWith('-')) return 0;
  return all('SELECT 1 FROM rows WHERE session = ? LIMIT 1', entry.key).length;
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}

/** True when the stored head is the one that a write is based on; null stands for none. */
function sameHead(stored: StoredHead | null, expected: StoredHead | null): boolean {
  return stored?.text === expected?.text && stored?.records === expected?.records;
}

/** Milliseconds that an uploaded file waits for its message. The next upload of anybody removes older ones. */
const graceMs = 24 * 60 * 60 * 1000;

/** A file that no session holds any more; its bytes are erased after the transaction that released it. */
export type LooseFile = { readonly owner: string; readonly hash: string };

/** A file that is uploaded for a session. */
export type UploadedFile = BlobRow & { readonly hash: string };

/** @param now The time in milliseconds. */
export function putFile(place: SessionPlace, file: UploadedFile, now: number): readonly LooseFile[] {
  const { hash, bytes, mediaType } = file;
  const { all, run, owner, id } = place;
  const old = sweep(place, now);
  // A file of a stored message stays held, and then waits for the new message as well.
  const held =
    'INSERT INTO holds (owner, hash, id, since) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET since = iif(since IS NULL, NULL, excluded.since), again = iif(since IS NULL, excluded.since, NULL)';
  run(held, owner, hash, id, now);
  if (all('SELECT 1 FROM files WHERE owner = ? AND hash = ?', owner, hash).length > 0) return old;
  countUsage(place, { sessions: 0, bytes: bytes.byteLength + overhead.file });
  const kept = 'INSERT INTO files (owner, hash, type, bytes) VALUES (?, ?, ?, ?)';
  run(kept, owner, hash, mediaType, new Uint8Array(bytes));
  return old;
}

/** A file that a session holds. */
export function readFile({ all }: SqliteQueries, owner: string, hash: string): BlobRow | null {
  const held = 'EXISTS (SELECT 1 FROM holds WHERE holds.owner = files.owner AND holds.hash = files.hash)';
  const [found] = all(`SELECT type, bytes FROM files WHERE owner = ? AND hash = ? AND ${held}`, owner, hash);
  // The stored value may have been replaced by damage.
  if (!(found?.['bytes'] instanceof Uint8Array)) return null;
  return { bytes: new Uint8Array(found['bytes']).buffer, mediaType: String(found['type']) };
}

function holdFiles({ run, owner, id }: SessionPlace, hashes: readonly string[]): void {
  const sql =
    'INSERT INTO holds (owner, hash, id, since) VALUES (?, ?, ?, NULL) ON CONFLICT DO UPDATE SET since = NULL, again = NULL';
  for (const hash of hashes) run(sql, owner, hash, id);
}

/** Sets the files that a session holds, waiting uploads aside; null for none. @returns those that nobody holds */
function holdOnlyFiles(place: SessionPlace, hashes: readonly string[] | null): readonly LooseFile[] {
  const { all, run, owner, id } = place;
  const kept = new Set(hashes);
  const loose: LooseFile[] = [];
  const held = all('SELECT hash, since, again FROM holds WHERE owner = ? AND id = ?', owner, id);
  const waitOn = 'UPDATE holds SET since = again, again = NULL WHERE owner = ? AND hash = ? AND id = ?';
  for (const { hash, since, again } of held) {
    if (kept.has(String(hash))) continue;
    if (hashes === null || (since === null && again === null))
      loose.push(...letGo(place, owner, id, String(hash)));
    else if (again !== null) run(waitOn, owner, String(hash), id);
  }
  const known = new Set(held.filter(({ since }) => since === null).map(({ hash }) => String(hash)));
  holdFiles(
    place,
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
  const bytes = -(Number(gone['size']) + overhead.file);
  countUsage({ ...queries, owner }, { sessions: 0, bytes });
  return true;
}

/** Files that a process released and did not erase. */
export function findLooseFiles({ all }: SqliteQueries): readonly LooseFile[] {
  const found = all('SELECT owner, hash FROM files EXCEPT SELECT owner, hash FROM holds');
  return found.map(({ owner, hash }) => ({ owner: String(owner), hash: String(hash) }));
}

/** Releases uploads that no message used. */
function sweep(queries: SqliteQueries, now: number): readonly LooseFile[] {
  const sql = 'SELECT owner, id, hash FROM holds WHERE since IS NOT NULL AND since < ?';
  const old = queries.all(sql, now - graceMs);
  return old.flatMap(({ owner, id, hash }) => letGo(queries, String(owner), String(id), String(hash)));
}

/** Releases the files of a session; a file is deleted with its last session. */
function letGo({ run, all }: SqliteQueries, owner: string, id: string, hash: string): readonly LooseFile[] {
  run('DELETE FROM holds WHERE owner = ? AND hash = ? AND id = ?', owner, hash, id);
  const others = all('SELECT 1 FROM holds WHERE owner = ? AND hash = ? LIMIT 1', owner, hash);
  return others.length === 0 ? [{ owner, hash }] : [];
}

/** The change of an owner's stored data by a write. */
type UsageChange = { readonly sessions: number; readonly bytes: number };

/** Counts a change in its transaction. @throws SessionQuotaError for more than before and more than the limits */
function countUsage(
  { all, owner, limits = null }: Omit<SessionPlace, 'id'>,
  { sessions, bytes }: UsageChange,
): void {
  const sql =
    'INSERT INTO usage (owner, sessions, bytes) VALUES (?1, max(0, ?2), max(0, ?3)) ON CONFLICT DO UPDATE SET sessions = max(0, sessions + ?2), bytes = max(0, bytes + ?3) RETURNING sessions, bytes';
  const [now] = all(sql, owner, sessions, bytes);
  if (limits === null) return;
  if (sessions > 0 && Number(now?.['sessions']) > limits.sessions) throw new SessionQuotaError('sessions');
  if (bytes > 0 && Number(now?.['bytes']) > limits.bytes) throw new SessionQuotaError('bytes');
}
