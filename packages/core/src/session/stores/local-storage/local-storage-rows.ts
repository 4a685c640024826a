import { AgentError } from '../../../kit/agent-error.ts';
import { contentHash } from '../../../kit/content-hash.ts';
import { type LocalEntry, type LocalKeys, localKeys } from './local-keys.ts';
import { writePointer } from './local-pointer.ts';
import { putItems } from './put-items.ts';
import type { RowAppend, RowStorage, RowWrite, StoredHead, StoredRows } from '../rows/row-storage.ts';
import { seenByAll } from './seen-by-all.ts';
import { hasLocks, underLock } from '../under-lock.ts';

/** Where sessions are written; nothing is required. */
export type LocalStorageSessionsOptions = {
  /** Default: the page's `localStorage`. */
  storage?: Storage;
  /** Begins every key. Default: `vitrine`. */
  prefix?: string;
};

/** There is room for 5 MB in all, and base64 makes a file larger by a third. */
const inlineBytes = 64 * 1024;

/**
 * Rows in localStorage. Each row and each record is a key; one more key, the pointer, is written last and makes them
 * valid. What is named by no pointer is debris of a write that was cut short: it goes with the next write, or when the
 * sessions are listed first.
 */
export function localStorageRows(options: LocalStorageSessionsOptions = {}): RowStorage {
  const prefix = `${options.prefix ?? 'vitrine'}:session:`;
  const isShared = options.storage === undefined;
  let isSwept = false;

  /** What is shared with other tabs is written in turns. */
  async function exclusively<Value>(id: string, run: (open: Open) => Value): Promise<Value> {
    const storage = storageOf(options);
    const open: Open = { id, storage, keys: localKeys(storage, prefix) };
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

  const opened = (): { storage: Storage; keys: LocalKeys } => {
    const storage = storageOf(options);
    return { storage, keys: localKeys(storage, prefix) };
  };

  /** A crash during the first write of a session leaves rows that no list shows. */
  async function sweep(ids: Iterable<string>): Promise<void> {
    isSwept = true;
    if (isShared && !hasLocks()) return;
    for (const id of ids)
      await exclusively(id, (open) => open.keys.entry(id) === null && erase(open, open.keys.namesOf(id)));
  }

  return {
    durability: 'eventual',
    tabs: isShared ? `localStorage:${prefix}` : null,
    inlineBytes,
    async heads() {
      const { keys } = opened();
      const { headed, headless } = keys.ids();
      if (!isSwept) await sweep(headless);
      return new Map([...headed].flatMap((id) => entries(id, keys.entry(id))));
    },
    head: async (id) => bare(opened().keys.entry(id)),
    async read(id) {
      return read({ id, ...opened() });
    },
    async rows(id, names) {
      const { storage, keys } = opened();
      const found = names.map((name) => [name, storage.getItem(keys.row(id, name))] as const);
      return new Map(found.flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
    },
    write: (id, wanted) => exclusively(id, (open) => write(open, wanted)),
    append: (id, wanted) => exclusively(id, (open) => append(open, wanted)),
    remove: (id, expected) =>
      exclusively(id, (open) => {
        if (expected !== undefined && !isSame(open.keys.entry(id), expected)) return false;
        open.storage.removeItem(open.keys.head(id));
        erase(open, open.keys.namesOf(id));
        return true;
      }),
    subscribe(listener) {
      if (typeof window === 'undefined') return () => undefined;
      const onStorage = ({ key }: StorageEvent): void => {
        if (key === null) return listener(null);
        const [id, name] = key.startsWith(prefix) ? key.slice(prefix.length).split(':') : [];
        if (id !== undefined && (name === undefined || name.startsWith('tail.'))) listener(id);
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
  if (!isSame(old, expected)) return false;
  const items = [...put].map(([name, text]) => [keys.row(id, name), text] as const);
  const pointer = { epoch: contentHash(head).slice(0, 11), head, inline: null };
  putItems(storage, [...items, [keys.head(id), writePointer(pointer)]]);
  const rest = drop === 'rest' ? keys.namesOf(id).filter((name) => !put.has(name)) : drop;
  erase(open, [...rest, ...recordNames(open, old)]);
  return true;
}

function append(open: Open, { expected, record, head }: RowAppend): boolean {
  const { id, storage, keys } = open;
  const old = keys.entry(id);
  if (old === null || old.pointer === null || !isSame(old, expected)) return false;
  const { pointer, records } = old;
  const { inline } = pointer;
  const settled = inline && ([keys.record(id, pointer, inline[0]), inline[1]] as const);
  if (head === null) {
    if (record !== null) putItems(storage, [[keys.record(id, pointer, records), record]]);
    return true;
  }
  const next = { ...pointer, head, inline: record === null ? inline : ([records, record] as const) };
  const last = [keys.head(id), writePointer(next)] as const;
  putItems(storage, settled && record !== null ? [settled, last] : [last]);
  return true;
}

/** What stands there, told in short. */
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

/** What cannot be erased now is named by nothing, and goes with the next write. */
function erase({ id, storage, keys }: Open, names: readonly string[]): void {
  try {
    for (const name of names) storage.removeItem(keys.row(id, name));
  } catch {
    // The write itself is done.
  }
}

function isSame(entry: StoredHead | null, expected: StoredHead | null): boolean {
  return entry?.text === expected?.text && entry?.records === expected?.records;
}

function bare(entry: LocalEntry | null): StoredHead | null {
  return entry === null ? null : { text: entry.text, records: entry.records };
}

function entries(id: string, entry: LocalEntry | null): [string, StoredHead][] {
  const head = bare(entry);
  return head === null ? [] : [[id, head]];
}
