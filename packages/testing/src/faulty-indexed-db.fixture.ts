import { IDBFactory, IDBObjectStore } from 'fake-indexeddb';
import { type IDBPDatabase, openDB } from 'idb';
import {
  makeTables,
  sessionsVersion,
  type SessionTables,
} from '@vitrine/persist/internal/drivers/indexed-db/kept-open';
import type { InjectedErrors, RawTexts } from './store-suite/store-under-test.ts';

type Method = (this: IDBObjectStore, ...args: unknown[]) => IDBRequest;

/** IndexedDB in memory that fails on request. */
export type FaultyIndexedDB = {
  readonly factory: IDBFactory;
  readonly injectedErrors: InjectedErrors;
  /** The texts of a session database; keys are those of its tables as JSON. */
  readonly raw: (name: string) => RawTexts;
  /** Removes the injected errors. */
  readonly restore: () => void;
};

/** Creates it. Injected errors affect all databases of the process, so only one may exist at a time. */
export function faultyIndexedDB(): FaultyIndexedDB {
  const factory = new IDBFactory();
  let writes = 0;
  let dies: number | null = null;
  let room = Infinity;
  const prototype = IDBObjectStore.prototype as unknown as Record<string, Method>;
  const originals = { put: prototype['put'], add: prototype['add'], delete: prototype['delete'] };

  for (const [name, original] of Object.entries(originals)) {
    prototype[name] = function faulty(...args) {
      writes++;
      if (dies !== null && writes >= dies) throw new Error('the process has died');
      if (name !== 'delete') {
        // Deletes of the transaction free no space for it, as in browsers that keep a log.
        room -= JSON.stringify(args).length;
        if (room < 0) throw new DOMException('full', 'QuotaExceededError');
      }
      return (original as Method).apply(this, args);
    };
  }

  return {
    factory,
    injectedErrors: {
      failAt: (write) => (dies = write === null ? null : writes + write),
      writes: () => writes,
      limit: (characters) => (room = characters ?? Infinity),
    },
    raw: rawDatabase,
    restore: () => Object.assign(prototype, originals),
  };
}

function rawDatabase(name: string): RawTexts {
  const within = async <Value>(run: (database: IDBPDatabase) => Promise<Value>): Promise<Value> => {
    const database = await openDB<SessionTables>(name, sessionsVersion, { upgrade: makeTables });

    try {
      return await run(database as unknown as IDBPDatabase);
    } finally {
      database.close();
    }
  };
  const parts = (key: string): [string, IDBValidKey] => JSON.parse(key) as [string, IDBValidKey];
  return {
    keys: () =>
      within(async (database) => {
        const tables = [...database.objectStoreNames];
        const keys = await Promise.all(tables.map((table) => database.getAllKeys(table)));
        return tables.flatMap((table, at) => (keys[at] ?? []).map((key) => JSON.stringify([table, key])));
      }),
    get: (key) =>
      within(async (database) => ((await database.get(...parts(key))) as string | undefined) ?? null),
    set: (key, text) =>
      within(async (database) => {
        const [table, at] = parts(key);
        if (text === null) await database.delete(table, at);
        else await database.put(table, text, at);
      }),
    head: (id) => JSON.stringify(['heads', id]),
  };
}
