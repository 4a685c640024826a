import { isAgentError } from '../../kit/agent-error.ts';
import { createListeners } from '../../kit/listeners.ts';
import { indexedDBSessions } from './indexed-db/indexed-db-sessions.ts';
import { localStorageSessions } from './local-storage/local-storage-sessions.ts';
import { memorySessions } from './memory/memory-sessions.ts';
import type { FullSessionStore } from './session-store.ts';

/** Where sessions are written; nothing is required. */
export type BrowserSessionsOptions = {
  /** The name of the database, or the beginning of the keys. Default: `vitrine`. */
  name?: string;
};

type Candidate = {
  readonly store: FullSessionStore;
  readonly isHere: boolean;
  readonly warning: string | null;
};

/**
 * Keeps sessions in the best place that this browser has: IndexedDB, else localStorage, else memory. What is there is
 * asked with the first call, and holds for as long as the store lives; `durability` and `warning` tell what it became.
 */
export function browserSessions({ name = 'vitrine' }: BrowserSessionsOptions = {}): FullSessionStore {
  const candidates = candidatesOf(name).filter(({ isHere }) => isHere);
  let chosen = candidates[0] as Candidate;
  let choosing: Promise<FullSessionStore> | null = null;
  let found: FullSessionStore | null = null;
  /** Who listens to what is not chosen yet. */
  const waiting = createListeners<FullSessionStore>();

  async function choose(): Promise<FullSessionStore> {
    for (const candidate of candidates) {
      chosen = candidate;
      if (await canRead(candidate.store)) break;
    }
    found = chosen.store;
    waiting.notify(found);
    return found;
  }

  function store(): Promise<FullSessionStore> {
    choosing ??= choose();
    // Whoever comes next may try again.
    choosing.catch(() => (choosing = null));
    return choosing;
  }

  return {
    get durability() {
      return chosen.store.durability;
    },
    get tabs() {
      return chosen.store.tabs ?? null;
    },
    get warning() {
      return chosen.warning;
    },
    get blobs() {
      return chosen.store.blobs;
    },
    get inlineBytes() {
      return chosen.store.inlineBytes;
    },
    load: async (id) => (await store()).load(id),
    save: async (record, options) => (await store()).save(record, options),
    append: async (id, append) => (await store()).append(id, append),
    remove: async (id, options) => (await store()).remove(id, options),
    list: async (query) => (await store()).list(query),
    runs: async (id) => (await store()).runs(id),
    raw: async (id) => (await (await store()).raw?.(id)) ?? null,
    subscribe(listener) {
      if (found !== null) return found.subscribe(listener);
      let end = waiting.add((known) => (end = known.subscribe(listener)));
      store().catch(() => undefined);
      return () => end();
    },
  };
}

/** Memory comes last and is always there. */
function candidatesOf(name: string): readonly Candidate[] {
  return [
    { store: indexedDBSessions({ name }), isHere: isHere('indexedDB'), warning: null },
    {
      store: localStorageSessions({ prefix: name }),
      isHere: isHere('localStorage'),
      warning: 'There is no IndexedDB here: room for about 5 MB, and a crash may lose the last minute.',
    },
    {
      store: memorySessions(),
      isHere: true,
      warning: 'Nothing can be stored here: conversations are gone when the page is closed.',
    },
  ];
}

function isHere(name: 'indexedDB' | 'localStorage'): boolean {
  try {
    return Boolean(globalThis[name]);
  } catch {
    // Access itself throws where storage is blocked.
    return false;
  }
}

/** @throws what says only that its code could not be loaded: that may come yet, and what is stored is there. */
async function canRead(store: FullSessionStore): Promise<boolean> {
  try {
    await store.load('probe');
    return true;
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.data['retryable'] === true) throw thrown;
    return !isAgentError(thrown, 'session-storage');
  }
}
