import { rowSessions } from '../../rows/row-sessions.ts';
import type { FullSessionStore } from '@vitrine/core/internal/session/store/session-store';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { contentHash } from '@vitrine/core/internal/kit/hash';
import { type LocalEntry, type LocalKeys, localKeys, putItems, writePointer } from './local-keys.ts';
import type { RowAppend, RowStorage, RowWrite, StoredHead, StoredRows } from '../../rows/row-storage.ts';
import { isSameHead, isVacant } from '../../rows/head.ts';
import { hasLocks, seenByAll, underLock } from '../../rows/under-lock.ts';

/**
 * Creates a store in localStorage, with about 5 MB for everything. Every write is atomic, also when it is
 * interrupted or the storage is full. Tabs take turns by a Web Lock where there is one.
 * Its durability is `eventual`: a killed browser loses recent writes, 20 s in the median and up to 49 s as
 * measured with Chromium. A page or tab that crashes loses nothing.
 */
export function localStorageSessions(options: LocalStorageSessionsOptions = {}): FullSessionStore {
  return rowSessions(localStorageRows(options));
}

/** Options of `localStorageSessions`; all are optional. */
export type LocalStorageSessionsOptions = {
  /** Default: the page's `localStorage`. */
  storage?: Storage;
  /** Begins every key. Default: `vitrine`. */
  prefix?: string;
};

/** localStorage has room for 5 MB in all, and base64 makes a file a third larger. */
const inlineBytes = 64 * 1024;

/**
 * Creates row storage in localStorage. Every row and record is a key; the pointer key is written last and makes them
 * valid. A key without a pointer is left over from an interrupted write. It is erased by the next write, or when the
 * sessions are first listed.
 */
export function localStorageRows(options: LocalStorageSessionsOptions = {}): RowStorage {
  const prefix = `${options.prefix ?? 'vitrine'}:session:`;
  const isShared = options.storage === undefined;
  let isSwept = false;

  /** Runs a write under the lock of the session when other tabs share the storage. */
  async function exclusively<Value>(id: string, run: (open: Open) => Value): Promise<Value> {
    const open: Open = { id, ...openStorage() };
    if (!isShared) return run(open);
    const name = prefix + id;
    return underLock(name, (isHeld) =>
      isHeld
        ? seenByAll(
            name,
            () => stampOf(open),
            () => run(open),
          )
        : run(open),
    );
  }

  const openStorage = (): { storage: Storage; keys: LocalKeys } => {
    const storage = storageOf(options);
    return { storage, keys: localKeys(storage, prefix) };
  };

  /** Erases rows that a crash left during the first write of a session; no list shows them. */
  async function sweep(ids: Iterable<string>): Promise<void> {
    isSwept = true;
    if (isShared && !hasLocks()) return;
    for (const id of ids)
      await exclusively(id, (open) => isDebris(open) && erase(open, open.keys.namesOf(id)));
  }

  return {
    durability: 'eventual',
    identity: isShared ? `localStorage:${prefix}` : null,
    tabs: isShared ? `localStorage:${prefix}` : null,
    inlineBytes,
    async heads() {
      const { keys } = openStorage();
      const { headed, owners } = keys.ids();
      if (!isSwept) await sweep([...owners].filter((id) => isDebris({ id, keys })));
      const heads = [...headed].map((id) => [id, bare(keys.entry(id))] as const);
      return new Map(heads.flatMap(([id, head]) => (head === null ? [] : [[id, head]])));
    },
    head: async (id) => bare(openStorage().keys.entry(id)),
    async read(id) {
      return read({ id, ...openStorage() });
    },
    async rows(id, names) {
      const { storage, keys } = openStorage();
      const found = names.map((name) => [name, storage.getItem(keys.row(id, name))] as const);
      return new Map(found.flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
    },
    write: (id, wanted) => exclusively(id, (open) => write(open, wanted)),
    append: (id, wanted) => exclusively(id, (open) => append(open, wanted)),
    remove: (id, expected) =>
      exclusively(id, (open) => {
        if (expected !== undefined && !isSameHead(open.keys.entry(id), expected)) return false;
        open.storage.removeItem(open.keys.head(id));
        erase(open, open.keys.namesOf(id));
        return true;
      }),
    subscribe(listener) {
      if (typeof window === 'undefined') return () => undefined;
      const onStorage = ({ key }: StorageEvent): void => {
        if (key === null) return listener(null);
        const [id, name, other] = key.startsWith(prefix) ? key.slice(prefix.length).split(':') : [];
        if (id === undefined || other !== undefined) return;
        if (name === undefined || name.startsWith('tail.')) listener(id);
      };
      window.addEventListener('storage', onStorage);
      return () => window.removeEventListener('storage', onStorage);
    },
  };
}

type Open = { readonly id: string; readonly storage: Storage; readonly keys: LocalKeys };

function storageOf(options: LocalStorageSessionsOptions): Storage {
  try {
    const found = options.storage ?? globalThis.localStorage;
    if (found) return found;
  } catch {
    // Access itself throws where storage is blocked.
  }
  const message = 'localStorage is not available here (blocked, or no browser). Use memorySessions().';
  throw new AgentError('session-storage', message);
}

function read(open: Open): StoredRows | null {
  const { id, keys } = open;
  const entry = keys.entry(id);
  if (entry === null) return null;
  const { pointer, text, records } = entry;
  const rows = keys.textsOf(id);
  for (const name of recordNames(open, entry)) rows.delete(name);
  const tail =
    pointer === null
      ? []
      : Array.from({ length: records }, (_, at) => keys.recordText(id, pointer, at) ?? '');
  return { text, records, rows, tail };
}

function write(open: Open, { expected, head, put, drop }: RowWrite): boolean {
  const { id, storage, keys } = open;
  const old = keys.entry(id);
  if (!isSameHead(old, expected)) return false;
  const items = [...put].map(([name, text]) => [keys.row(id, name), text] as const);
  const pointer = { epoch: contentHash(head).slice(0, 11), head, inline: null };
  putItems(storage, [...items, [keys.head(id), writePointer(pointer)]]);
  const rest = drop === 'rest' ? keys.namesOf(id).filter((name) => !put.has(name)) : drop;
  erase(open, [...rest, ...recordNames(open, old)]);
  return true;
}

function append(open: Open, { expected, record, head, put = new Map(), drop = [] }: RowAppend): boolean {
  const { id, storage, keys } = open;
  const old = keys.entry(id);
  if (old === null || old.pointer === null || !isSameHead(old, expected)) return false;
  const { pointer, records } = old;
  const { inline } = pointer;
  const settled = inline && ([keys.record(id, pointer, inline[0]), inline[1]] as const);
  if (head === null) {
    if (record !== null) putItems(storage, [[keys.record(id, pointer, records), record]]);
    return true;
  }
  const next = { ...pointer, head, inline: record === null ? inline : ([records, record] as const) };
  const last = [keys.head(id), writePointer(next)] as const;
  const items = [...put].map(([name, text]) => [keys.row(id, name), text] as const);
  putItems(storage, [...items, ...(settled && record !== null ? [settled] : []), last]);
  erase(open, drop);
  return true;
}

/** True for keys without a session: its first write was interrupted, also one in place of a removed session. */
function isDebris({ id, keys }: Pick<Open, 'id' | 'keys'>): boolean {
  const entry = keys.entry(id);
  return entry === null || isVacant(entry.text);
}

function stampOf({ id, keys }: Open): string | null {
  const entry = keys.entry(id);
  return entry === null ? null : `${entry.records} ${entry.text}`;
}

function recordNames({ id, keys }: Open, entry: LocalEntry | null): string[] {
  const { pointer = null, records = 0 } = entry ?? {};
  if (pointer === null) return [];
  const start = keys.row(id, '').length;
  return Array.from({ length: records }, (_, at) => keys.record(id, pointer, at).slice(start));
}

/** Erases keys. A key that cannot be erased now has no pointer and goes with the next write. */
function erase({ id, storage, keys }: Open, names: readonly string[]): void {
  try {
    for (const name of names) storage.removeItem(keys.row(id, name));
  } catch {
    // The write itself is done.
  }
}

function bare(entry: LocalEntry | null): StoredHead | null {
  return entry === null ? null : { text: entry.text, records: entry.records };
}
