import { messages } from '../../graph/agent-state/accessors.ts';
import { localStorageSessions } from '../stores/local-storage/local-storage-sessions.ts';
import { memorySessions } from '../stores/memory/memory-sessions.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import { type TornStorage, tornStorage } from '../../testing/torn-storage.fixture.ts';
import type { Schedule } from './fault-schedule.fixture.ts';
import { readRecord } from './read-record.ts';

/** A version of the session that was stored at some time. */
export type Version = {
  readonly version: number;
  /** What stands in it for good: every message but what an answer in flight has come to. */
  readonly settled: readonly string[];
  /** Every message of it, and those that wait to be begun. */
  readonly ids: readonly string[];
  readonly queued: readonly string[];
};

/** The place where pages keep the session. */
export type StorePlace = {
  /** What one page has of it, and how that is torn by the page's death: by how many keys are written still. */
  readonly open: () => { readonly store: SessionStore; readonly dieAfter: TornStorage['dieAfter'] | null };
  /** What is there now. @throws when that cannot be read. */
  readonly look: () => Promise<SessionRecord | null>;
  /** Every version that was stored, oldest first. */
  readonly versions: readonly Version[];
};

/** Everything that it holds can be read, always: it is looked at after every write, and after every death. */
export function faultPlace({ place }: Pick<Schedule, 'place'>, id: string): StorePlace {
  const keys = new Map<string, string>();
  const shared = memorySessions();
  const versions: Version[] = [];
  const openKeys = (): TornStorage & { store: SessionStore } => {
    const torn = tornStorage(keys);
    return { ...torn, store: localStorageSessions({ storage: torn.storage }) };
  };
  const observer = place === 'keys' ? openKeys().store : shared;

  async function look(): Promise<SessionRecord | null> {
    const record = await observer.load(id);
    if (record !== null && record.version !== versions.at(-1)?.version) versions.push(versionOf(record));
    return record;
  }

  async function seen(writing: Promise<number>): Promise<number> {
    const version = await writing;
    if ((await look()) === null) throw new Error('Nothing was written');
    return version;
  }

  return {
    look,
    versions,
    open() {
      const { store, dieAfter } = place === 'keys' ? openKeys() : { store: shared, dieAfter: null };
      const { append, ...rest } = store;
      const save: SessionStore['save'] = (record, options) => seen(store.save(record, options));
      const appending = {
        append: (key, written) => seen(append!(key, written)),
      } satisfies Partial<SessionStore>;
      return {
        dieAfter,
        store: { ...rest, save, ...(place !== 'wholes' && append !== undefined ? appending : {}) },
      };
    },
  };
}

function versionOf(record: SessionRecord): Version {
  const { state } = readRecord(record).live;
  const open = new Set((state.execution?.currentStep?.outputMessages ?? []).map((message) => message.id));
  const ids = messages(state).map((message) => message.id);
  const queued = record.queue.map((entry) => entry.id);
  return {
    version: record.version,
    settled: ids.filter((found) => !open.has(found)),
    ids: [...ids, ...queued],
    queued,
  };
}
