import type { IDBPDatabase, IDBPTransaction } from 'idb';
import { type KeptOpen, type SessionTable, sessionTables, type SessionTables } from './kept-open.ts';
import type { BlobRows } from '../../rows/row-storage.ts';

/**
 * The time that a file without a message is kept, in milliseconds. Older ones were left by a page that died;
 * they are erased when the database is opened.
 */
const graceMs = 24 * 60 * 60 * 1000;

type Writing = IDBPTransaction<SessionTables, SessionTable[], 'readwrite'>;

/** Files in IndexedDB, each stored once, with the sessions that hold it. */
export function indexedDBBlobs(database: KeptOpen): BlobRows {
  return {
    put: (id, { hash, bytes, mediaType }) =>
      database.use(beginStrict, async (transaction) => {
        const holds = transaction.objectStore('holds');
        const [held, known] = await Promise.all([
          holds.get([id, hash]),
          transaction.objectStore('blobs').getKey(hash),
        ]);
        // A file of a stored message stays held, and also waits for the message that it was put for again.
        const isHeld = held !== undefined && held.since === undefined;
        const now = Date.now();
        const writes = [
          holds.put(isHeld ? { hash, again: now } : { hash, since: now }, [id, hash]),
          ...(known === undefined ? [transaction.objectStore('blobs').put({ bytes, mediaType }, hash)] : []),
        ];
        await Promise.all([...writes, transaction.done]);
      }),
    get: (hash) =>
      database.use(
        (db) => db.transaction('blobs'),
        async ({ store }) => {
          const found: unknown = await store.get(hash);
          return isKept(found) ? found : null;
        },
      ),
  };
}

function beginStrict(database: IDBPDatabase<SessionTables>): Writing {
  return database.transaction(sessionTables, 'readwrite', { durability: 'strict' });
}

export function holdBlobs(transaction: Writing, id: string, hashes: readonly string[]): void {
  const holds = transaction.objectStore('holds');
  for (const hash of hashes) void holds.put({ hash }, [id, hash]).catch(() => undefined);
}

/** Makes a session hold only these files, and those that still wait for their message. `null` releases all of them. */
export async function holdOnlyBlobs(
  transaction: Writing,
  id: string,
  hashes: readonly string[] | null,
): Promise<void> {
  const kept = new Set(hashes);
  const held = await transaction.objectStore('holds').getAll(IDBKeyRange.bound([id], [id, []]));
  for (const { hash, since, again } of held) {
    if (kept.has(hash)) continue;
    if (hashes === null || (since === undefined && again === undefined)) await letGo(transaction, id, hash);
    else if (again !== undefined)
      await transaction.objectStore('holds').put({ hash, since: again }, [id, hash]);
  }
  const known = new Set(held.filter(({ since }) => since === undefined).map(({ hash }) => hash));
  holdBlobs(
    transaction,
    id,
    [...kept].filter((hash) => !known.has(hash)),
  );
}

/** Erases files whose page died before their message was stored. */
export async function sweepBlobs(database: IDBPDatabase<SessionTables>): Promise<void> {
  const transaction = database.transaction(sessionTables, 'readwrite');
  const old = IDBKeyRange.upperBound(Date.now() - graceMs);
  const keys = await transaction.objectStore('holds').index('since').getAllKeys(old);
  for (const [id, hash] of keys) await letGo(transaction, id, hash);
  await transaction.done;
}

/** Releases a file; it is erased with the last session that holds it. */
async function letGo(transaction: Writing, id: string, hash: string): Promise<void> {
  const holds = transaction.objectStore('holds');
  await holds.delete([id, hash]);
  if ((await holds.index('hash').count(hash)) === 0) await transaction.objectStore('blobs').delete(hash);
}

function isKept(value: unknown): value is SessionTables['blobs']['value'] {
  if (typeof value !== 'object' || value === null) return false;
  const { bytes, mediaType } = value as Partial<SessionTables['blobs']['value']>;
  return bytes instanceof ArrayBuffer && typeof mediaType === 'string';
}
