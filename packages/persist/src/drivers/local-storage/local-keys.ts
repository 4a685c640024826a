import type { StoredHead } from '../../rows/row-storage.ts';
import { openSealed, sealedText } from '../../rows/head.ts';

export type LocalEntry = StoredHead & {
  /** The pointer; null when something else has written the key. */
  readonly pointer: LocalPointer | null;
};

/** The keys of sessions below a prefix, and their values. */
export type LocalKeys = ReturnType<typeof localKeys>;

export function localKeys(storage: Storage, prefix: string) {
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

  /** The rest of each key that begins with `start`. */
  function below(start: string): readonly string[] {
    const found: string[] = [];
    for (let at = 0; at < storage.length; at++) {
      const key = storage.key(at) ?? '';
      if (key.startsWith(start)) found.push(key.slice(start.length));
    }
    return found;
  }

  /** Names of all keys of a session but its head. A key of a longer prefix is excluded, since its rest is no row name. */
  const namesBelow = (id: string): readonly string[] => below(row(id, '')).filter((name) => isRowName(name));

  return {
    head,
    row,
    record,
    entry,
    recordText,
    namesOf: namesBelow,
    textsOf(id: string): Map<string, string> {
      return new Map(namesBelow(id).map((name) => [name, storage.getItem(row(id, name)) ?? '']));
    },
    /** Ids with a head, and ids with any other key. */
    ids(): { readonly headed: ReadonlySet<string>; readonly owners: ReadonlySet<string> } {
      const keys = below(prefix);
      const headed = new Set(keys.filter((key) => key !== '' && !key.includes(':')));
      const owners = keys.flatMap((key) => {
        const [id = '', ...name] = key.split(':');
        return isRowName(name.join(':')) ? [id] : [];
      });
      return { headed, owners: new Set(owners) };
    },
  };
}

/** True for the name of a row or a record: a kind, a dot and more. No session id contains a dot. */
function isRowName(name: string): boolean {
  return /^[a-z]+\.[A-Za-z0-9.]+$/.test(name);
}

/** The value of a session's head key, which makes its other keys valid. */
export type LocalPointer = {
  /** The part of the names of its records. */
  readonly epoch: string;
  readonly head: string;
  /** A record that came with its head. One key is written atomically, two are not. */
  readonly inline: readonly [number: number, text: string] | null;
};

export function writePointer({ epoch, head, inline }: LocalPointer): string {
  return sealedText([epoch, head, inline]);
}

/** Parses a pointer; null for a damaged or foreign value. */
function readPointer(text: string): LocalPointer | null {
  try {
    const [epoch, head, inline] = openSealed(text, 'head') as [string, string, LocalPointer['inline']];
    return typeof epoch === 'string' && typeof head === 'string' ? { epoch, head, inline } : null;
  } catch {
    return null;
  }
}

/**
 * Puts items in order. When one of them cannot be put because the storage is full, the earlier ones are undone.
 * @throws the error of the storage.
 */
export function putItems(storage: Storage, items: readonly (readonly [key: string, text: string])[]): void {
  const before: (readonly [string, string | null])[] = [];
  try {
    for (const [key, text] of items) {
      const old = storage.getItem(key);
      if (old === text) continue;
      before.push([key, old]);
      storage.setItem(key, text);
    }
  } catch (thrown) {
    takeBack(storage, before.reverse());
    throw thrown;
  }
}

function takeBack(storage: Storage, items: readonly (readonly [string, string | null])[]): void {
  try {
    for (const [key, text] of items) {
      if (text === null) storage.removeItem(key);
      else storage.setItem(key, text);
    }
  } catch {
    // The remaining keys have no pointer and go with the next write.
  }
}
