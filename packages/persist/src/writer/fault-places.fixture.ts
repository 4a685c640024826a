import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionRecord, SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { type TornStorage, tornStorage } from '@vitrine/testing/internal/torn-storage.fixture';
import { text } from '@vitrine/core/internal/graph/message';
import type { Schedule } from './fault-schedule.fixture.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { readRecord } from './plan-write.ts';

/** A version of the session that was once stored. */
export type Version = {
  readonly version: number;
  /** The messages that must not change any more: all but an answer in flight. */
  readonly settled: readonly string[];
  /** The ids of all messages, and of those in the queue. */
  readonly ids: readonly string[];
  readonly queued: readonly string[];
};

/** The place where pages keep the session. */
export type StorePlace = {
  /** The store of one page, and the number of keys that are still written when that page dies. */
  readonly open: () => { readonly store: SessionStore; readonly dieAfter: TornStorage['dieAfter'] | null };
  /** Reads the stored session. @throws when it cannot be read */
  readonly look: () => Promise<SessionRecord | null>;
  /** The texts of all sessions that hold forked answers. */
  readonly forked: () => Promise<readonly string[]>;
  /** All versions that were stored, oldest first. */
  readonly versions: readonly Version[];
};

/** Creates a place and asserts after every write and every death that its content is readable. */
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
    const record = loadedSession(await observer.load(id));
    if (record !== null && record.version !== versions.at(-1)?.version) versions.push(versionOf(record));
    return record;
  }

  async function whenSeen(writing: Promise<number>): Promise<number> {
    const version = await writing;
    if ((await look()) === null) throw new Error('Nothing was written');
    return version;
  }

  return {
    look,
    async forked() {
      const { sessions } = await observer.list();
      const forks = await Promise.all(
        sessions.filter(({ parentId }) => parentId === id).map((fork) => observer.load(fork.id)),
      );
      const records = forks.flatMap((fork) => loadedSession(fork) ?? []);
      return records.flatMap((record) => messages(readRecord(record).live.state).map(text));
    },
    versions,
    open() {
      const { store, dieAfter } = place === 'keys' ? openKeys() : { store: shared, dieAfter: null };
      const save: SessionStore['save'] = (record, options) => whenSeen(store.save(record, options));
      const append: SessionStore['append'] = (key, written) => whenSeen(store.append(key, written));
      return { dieAfter, store: { ...store, save, append } };
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
