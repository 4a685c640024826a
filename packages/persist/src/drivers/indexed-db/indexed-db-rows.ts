import type { FullSessionStore } from '@vitrine/core/internal/session/store/session-store';
import { openBroadcastChannel } from '@vitrine/core/internal/session/store/tab-link';
import type { IDBPDatabase, IDBPTransaction } from 'idb';
import { isSameHead } from '../../rows/head.ts';
import { rowSessions } from '../../rows/row-sessions.ts';
import type { BlobRows, RowStorage, RowWrite, StoredHead, StoredRows } from '../../rows/row-storage.ts';
import {
  keptOpen,
  type KeptOpen,
  type SessionTable,
  type SessionTables,
  sessionTables,
} from './kept-open.ts';

/**
 * Creates a store in IndexedDB. It has as much room as the browser gives, mostly more than half of the free disk. Its
 * durability is `process-crash`: a write survives a killed browser, while a loss of power is not covered. Each write is
 * one transaction; whole writes, and those that a tool waits for, use strict durability. The library is loaded with the
 * first call.
 */
export function indexedDBSessions(options: IndexedDBSessionsOptions = {}): FullSessionStore {
  return rowSessions(indexedDBRows(options));
}

/** Options of `indexedDBSessions`; all are optional. */
export type IndexedDBSessionsOptions = {
  /** The name of the database. Default: `vitrine`. */
  name?: string;
};

type ReadTransaction = IDBPTransaction<SessionTables, SessionTable[], 'readonly'>;
type Writing = IDBPTransaction<SessionTables, SessionTable[], 'readwrite'>;
type Reading = Pick<IDBPTransaction<SessionTables, SessionTable[], 'readonly' | 'readwrite'>, 'objectStore'>;

/** Creates row storage in IndexedDB. Every write is one transaction. */
export function indexedDBRows({ name = 'vitrine' }: IndexedDBSessionsOptions = {}): RowStorage {
  const database = keptOpen(name, sweepBlobs);
  const others = changesElsewhere(`vitrine:sessions:${name}`);

  /** Runs a change in one transaction. It may await only the database, since an idle transaction ends. */
  async function write(
    id: string,
    durability: 'strict' | 'relaxed',
    change: (transaction: Writing) => Promise<boolean>,
  ): Promise<boolean> {
    const isWritten = await database.use(
      (db) => db.transaction(sessionTables, 'readwrite', { durability }),
      async (transaction) => {
        try {
          const isDone = await change(transaction);
          await transaction.done;
          return isDone;
        } catch (thrown) {
          await abortTransaction(transaction);
          throw transaction.error ?? thrown;
        }
      },
    );
    if (isWritten) others.notify(id);
    return isWritten;
  }

  return {
    durability: 'process-crash',
    identity: `indexedDB:${name}`,
    tabs: `indexedDB:${name}`,
    blobs: indexedDBBlobs(database),
    heads: () => database.use(beginReading, readHeads),
    head: (id) => database.use(beginReading, (transaction) => headOf(id, transaction)),
    read: (id) => database.use(beginReading, (transaction) => readSession(id, transaction)),
    rows: (id, names) =>
      database.use(beginReading, async (transaction) => {
        const rows = transaction.objectStore('rows');
        const texts = await Promise.all(names.map((row) => rows.get([id, row])));
        return new Map(
          names.flatMap((row, at) => (texts[at] === undefined ? [] : [[row, asText(texts[at])]])),
        );
      }),
    write: (id, { blobs = [], ...wanted }) =>
      write(id, 'strict', async (transaction) => {
        if (!isSameHead(await headOf(id, transaction), wanted.expected)) return false;
        changeRows(id, wanted, transaction);
        send(transaction.objectStore('records').delete(all(id)));
        send(transaction.objectStore('heads').put(wanted.head, id));
        await holdOnlyBlobs(transaction, id, blobs);
        return true;
      }),
    append: (id, { expected, record, head, isStrict, put = new Map(), drop = [], blobs = [] }) =>
      write(id, isStrict ? 'strict' : 'relaxed', async (transaction) => {
        if (!isSameHead(await headOf(id, transaction), expected)) return false;
        if (record !== null) send(transaction.objectStore('records').add(record, [id, expected.records]));
        if (head !== null) send(transaction.objectStore('heads').put(head, id));
        changeRows(id, { put, drop }, transaction);
        holdBlobs(transaction, id, blobs);
        return true;
      }),
    remove: (id, expected) =>
      write(id, 'strict', async (transaction) => {
        if (expected !== undefined && !isSameHead(await headOf(id, transaction), expected)) return false;
        send(transaction.objectStore('heads').delete(id));
        send(transaction.objectStore('rows').delete(all(id)));
        send(transaction.objectStore('records').delete(all(id)));
        await holdOnlyBlobs(transaction, id, null);
        return true;
      }),
    subscribe: others.listen,
  };
}

function beginReading(database: IDBPDatabase<SessionTables>): ReadTransaction {
  return database.transaction(sessionTables);
}

async function readHeads(transaction: ReadTransaction): Promise<ReadonlyMap<string, StoredHead>> {
  const heads = transaction.objectStore('heads');
  const [ids, texts, records] = await Promise.all([
    heads.getAllKeys(),
    heads.getAll(),
    transaction.objectStore('records').getAllKeys(),
  ]);
  const counts = new Map<string, number>();
  for (const [id] of records) counts.set(id, (counts.get(id) ?? 0) + 1);
  return new Map(ids.map((id, at) => [id, { text: asText(texts[at]), records: counts.get(id) ?? 0 }]));
}

async function readSession(id: string, transaction: ReadTransaction): Promise<StoredRows | null> {
  const rows = transaction.objectStore('rows');
  const [head, names, texts, tail] = await Promise.all([
    transaction.objectStore('heads').get(id),
    Promise.all(liveRows(id).map((range) => rows.getAllKeys(range))),
    Promise.all(liveRows(id).map((range) => rows.getAll(range))),
    transaction.objectStore('records').getAll(all(id)),
  ]);
  if (head === undefined) return null;
  const found = texts.flat();
  return {
    text: asText(head),
    records: tail.length,
    rows: new Map(names.flat().map(([, row], at) => [row, asText(found[at])])),
    tail: tail.map(asText),
  };
}

async function headOf(id: string, transaction: Reading): Promise<StoredHead | null> {
  const [text, records] = await Promise.all([
    transaction.objectStore('heads').get(id),
    transaction.objectStore('records').count(all(id)),
  ]);
  return text === undefined ? null : { text: asText(text), records };
}

function changeRows(id: string, { put, drop }: Pick<RowWrite, 'put' | 'drop'>, transaction: Writing): void {
  const rows = transaction.objectStore('rows');
  // Requests run in order, so deletions come before additions.
  if (drop === 'rest') send(rows.delete(all(id)));
  else for (const name of drop) send(rows.delete([id, name]));
  for (const [name, text] of put) send(rows.put(text, [id, name]));
}

/** Sends a request without awaiting it; a failed request ends the transaction, which reports the error. */
function send(request: Promise<unknown>): void {
  request.catch(() => undefined);
}

function all(id: string): IDBKeyRange {
  return IDBKeyRange.bound([id], [id, []]);
}

/** The ranges of the rows of a session except archived ones, whose names begin with `run.`. */
function liveRows(id: string): readonly IDBKeyRange[] {
  return [IDBKeyRange.bound([id], [id, 'run.'], false, true), IDBKeyRange.bound([id, 'run/'], [id, []])];
}

/** Returns the text of a stored value. Foreign values count as empty, and an empty head or row counts as damaged. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

async function abortTransaction(transaction: Writing): Promise<void> {
  try {
    transaction.abort();
  } catch {
    // The transaction has ended by itself.
  }
  await transaction.done.catch(() => undefined);
}

/**
 * Creates notices of changed sessions for other tabs, and other stores of this page, over a BroadcastChannel. Without one,
 * nobody is notified.
 */
function changesElsewhere(name: string) {
  let channel: BroadcastChannel | null = null;
  const openChannel = (): BroadcastChannel | null => (channel ??= openBroadcastChannel(name));

  return {
    notify: (id: string): void => openChannel()?.postMessage(id),
    listen(listener: (id: string | null) => void): () => void {
      const listened = openChannel();
      const onMessage = ({ data }: MessageEvent<unknown>): void => {
        listener(typeof data === 'string' ? data : null);
      };
      listened?.addEventListener('message', onMessage);
      return () => listened?.removeEventListener('message', onMessage);
    },
  };
}

/**
 * The time that a file without a message is kept, in milliseconds. Older ones were left by a page that died;
 * they are erased when the database is opened.
 */
const graceMs = 24 * 60 * 60 * 1000;

/** Files in IndexedDB, each stored once, with the sessions that hold it. */
function indexedDBBlobs(database: KeptOpen): BlobRows {
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

function holdBlobs(transaction: Writing, id: string, hashes: readonly string[]): void {
  const holds = transaction.objectStore('holds');
  for (const hash of hashes) void holds.put({ hash }, [id, hash]).catch(() => undefined);
}

/** Makes a session hold only these files, and those that still wait for their message. `null` releases all of them. */
async function holdOnlyBlobs(
  transaction: Writing,
  id: string,
  hashes: readonly string[] | null,
): Promise<void> {
  const kept = new Set(hashes);
  const holds = transaction.objectStore('holds');
  const held = await holds.getAll(all(id));
  for (const { hash, since, again } of held) {
    if (kept.has(hash)) continue;
    if (hashes === null || (since === undefined && again === undefined)) await letGo(transaction, id, hash);
    else if (again !== undefined) await holds.put({ hash, since: again }, [id, hash]);
  }
  const known = new Set(held.filter(({ since }) => since === undefined).map(({ hash }) => hash));
  holdBlobs(
    transaction,
    id,
    [...kept].filter((hash) => !known.has(hash)),
  );
}

/** Erases files whose page died before their message was stored. */
async function sweepBlobs(database: IDBPDatabase<SessionTables>): Promise<void> {
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
