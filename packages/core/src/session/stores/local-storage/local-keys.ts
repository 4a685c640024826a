import { type LocalPointer, readPointer } from './local-pointer.ts';
import type { StoredHead } from '../rows/row-storage.ts';

/** A session in localStorage, as its keys say. */
export type LocalEntry = StoredHead & {
  /** Null when something else has written it. */
  readonly pointer: LocalPointer | null;
};

/** The keys of sessions below a prefix, and what stands in them. */
export type LocalKeys = {
  readonly head: (id: string) => string;
  readonly row: (id: string, name: string) => string;
  readonly record: (id: string, pointer: LocalPointer, number: number) => string;
  readonly entry: (id: string) => LocalEntry | null;
  readonly recordText: (id: string, pointer: LocalPointer, number: number) => string | null;
  /** Names of all keys of a session but its head. */
  readonly namesOf: (id: string) => readonly string[];
  /** The texts of those keys by name. */
  readonly textsOf: (id: string) => Map<string, string>;
  /** Ids of all sessions that have a head, and of those that have keys and none. */
  readonly ids: () => { readonly headed: ReadonlySet<string>; readonly headless: ReadonlySet<string> };
};

export function localKeys(storage: Storage, prefix: string): LocalKeys {
  const head = (id: string): string => prefix + id;
  const row = (id: string, name: string): string => `${prefix}${id}:${name}`;
  const record = (id: string, { epoch }: LocalPointer, number: number): string =>
    row(id, `tail.${epoch}.${number}`);

  function recordText(id: string, pointer: LocalPointer, number: number): string | null {
    const { inline } = pointer;
    return inline?.[0] === number ? inline[1] : storage.getItem(record(id, pointer, number));
  }

  function entry(id: string): LocalEntry | null {
    const text = storage.getItem(head(id));
    if (text === null) return null;
    const pointer = readPointer(text);
    if (pointer === null) return { text, records: 0, pointer };
    let records = 0;
    while (recordText(id, pointer, records) !== null) records++;
    return { text: pointer.head, records, pointer };
  }

  function keysBelow(start: string): readonly string[] {
    const found: string[] = [];
    for (let at = 0; at < storage.length; at++) {
      const key = storage.key(at) ?? '';
      if (key.startsWith(start)) found.push(key);
    }
    return found;
  }

  /** What follows on a beginning in the keys that have it. */
  const below = (start: string): readonly string[] => keysBelow(start).map((key) => key.slice(start.length));

  return {
    head,
    row,
    record,
    entry,
    recordText,
    namesOf: (id) => below(row(id, '')),
    textsOf(id) {
      const start = row(id, '');
      return new Map(keysBelow(start).map((key) => [key.slice(start.length), storage.getItem(key) ?? '']));
    },
    ids() {
      const keys = below(prefix);
      const headed = new Set(keys.filter((key) => key !== '' && !key.includes(':')));
      const owners = keys.flatMap((key) => (key.includes(':') ? [key.slice(0, key.indexOf(':'))] : []));
      return { headed, headless: new Set(owners.filter((id) => !headed.has(id))) };
    },
  };
}
