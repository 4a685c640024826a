import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { createListeners } from '../../kit/listeners.ts';
import type { StateDocument } from '../../graph/document/document.ts';
import { listSessions } from './list-sessions.ts';
import { liveRecord } from './live-record.ts';
import { conflict } from './session-conflict.ts';
import { assertSessionId } from './session-id.ts';
import type { SessionRecord, SessionStore, SessionSummary } from './session-store.ts';

/** Messages are stored in groups, so that a long history is not written again with every step. */
const groupSize = 32;

/** Where sessions are written; nothing is required. */
export type LocalStorageSessionsOptions = {
  /** Default: the page's `localStorage`. */
  storage?: Storage;
  /** Begins every key. Default: `vitrine`. */
  prefix?: string;
};

type StoredSummary = SessionSummary & {
  readonly messageCount: number;
  /** Absent in what was written before there was a stored queue. */
  readonly queue?: SessionRecord['queue'];
  readonly draft?: string;
};
type Codecs = typeof import('../../graph/document/codecs.ts');
type Groups = { readonly written: (readonly string[])[] };

/**
 * Keeps sessions in localStorage: synchronous, about 5 MB, and only `eventual`: a browser that is killed may lose the
 * last seconds. Unreadable entries are listed as broken and never deleted.
 */
export function localStorageSessions(options: LocalStorageSessionsOptions = {}): SessionStore {
  const prefix = `${options.prefix ?? 'vitrine'}:session:`;
  const listeners = createListeners<string | null>();
  const groups = new Map<string, Groups>();

  function storage(): Storage {
    try {
      const found = options.storage ?? globalThis.localStorage;
      if (found) return found;
    } catch {
      // Access itself throws where storage is blocked.
    }
    throw new AgentError(
      'session-storage',
      'localStorage is not available here (blocked, or no browser). Use memorySessions().',
    );
  }

  function readSummary(id: string): StoredSummary | null {
    const text = storage().getItem(prefix + id);
    return text === null ? null : (parse(text, id) as StoredSummary);
  }

  function writeGroups(id: string, messages: readonly unknown[]): void {
    const known = groups.get(id)?.written ?? [];
    const texts: string[][] = [];
    for (let at = 0; at * groupSize < messages.length; at++) {
      const group = messages
        .slice(at * groupSize, (at + 1) * groupSize)
        .map((message) => JSON.stringify(message));
      texts.push(group);
      const isSame =
        known[at]?.length === group.length && group.every((text, index) => text === known[at]?.[index]);
      if (!isSame) storage().setItem(`${prefix}${id}:${at}`, `[${group.join(',')}]`);
    }
    groups.set(id, { written: texts });
  }

  return {
    durability: 'eventual',

    async load(id) {
      const summary = readSummary(id);
      if (summary === null) return null;
      const { messageCount, queue = [], draft = '', ...rest } = summary;
      const body = parse(storage().getItem(`${prefix}${id}:state`) ?? '', id) as StateDocument;
      const messages: unknown[] = [];
      for (let at = 0; messages.length < messageCount; at++) {
        const text = storage().getItem(`${prefix}${id}:${at}`);
        if (text === null) throw broken(id, `group ${at} of its messages is missing`);
        messages.push(...(parse(text, id) as unknown[]));
      }
      const { agentStateCodec } = await codecs();
      return {
        ...rest,
        queue,
        draft,
        state: agentStateCodec.fromJSON({ ...body, messages: messages.slice(0, messageCount) }),
        journal: { id, records: 0, tail: [] },
        branches: [],
        checkpoints: [],
      };
    },

    async save(record, { expectedVersion }) {
      assertSessionId(record.id);
      const { agentStateCodec } = await codecs();
      const storedVersion = readSummary(record.id)?.version ?? 0;
      if (storedVersion !== expectedVersion) throw conflict(record.id, expectedVersion, storedVersion);
      const saved: SessionRecord = { ...record, version: storedVersion + 1 };
      const {
        state: _state,
        journal: _journal,
        branches: _branches,
        checkpoints: _checkpoints,
        ...summary
      } = saved;
      const { state } = liveRecord(record);
      const { messages, ...body } = agentStateCodec.toJSON(state);
      const list = messages as readonly unknown[];
      try {
        writeGroups(record.id, list);
        storage().setItem(`${prefix}${record.id}:state`, JSON.stringify(body));
        // Written last: until then the old entry, whose messages are a part of the new ones, is the valid one.
        storage().setItem(prefix + record.id, JSON.stringify({ ...summary, messageCount: list.length }));
      } catch (cause) {
        groups.delete(record.id);
        throw isAgentError(cause) ? cause : writeFailed(record.id, cause);
      }
      listeners.notify(record.id);
      return saved.version;
    },

    async remove(id) {
      const keys = allKeys(storage()).filter(
        (key) => key === prefix + id || key.startsWith(`${prefix}${id}:`),
      );
      for (const key of keys) storage().removeItem(key);
      groups.delete(id);
      if (keys.length > 0) listeners.notify(id);
    },

    async list(query) {
      const ids = allKeys(storage()).flatMap((key) => {
        const id = key.startsWith(prefix) ? key.slice(prefix.length) : '';
        return id === '' || id.includes(':') ? [] : [id];
      });
      return listSessions(
        ids.map((id) => summaryOf(id, readSummary)),
        query,
      );
    },

    subscribe(listener) {
      const remove = listeners.add(listener);
      const onStorage = ({ key }: StorageEvent): void => {
        if (key === null) listener(null);
        else if (key.startsWith(prefix)) listener(key.slice(prefix.length).split(':')[0] ?? null);
      };
      const target = typeof window === 'undefined' ? null : window;
      target?.addEventListener('storage', onStorage);
      return () => {
        remove();
        target?.removeEventListener('storage', onStorage);
      };
    },
  };
}

let loadedCodecs: Codecs | null = null;

/** Kept: a page that goes away waits for promises that are settled, but for no module, be it one that is there. */
async function codecs(): Promise<Codecs> {
  return (loadedCodecs ??= await import('../../graph/document/codecs.ts'));
}

function summaryOf(id: string, read: (id: string) => StoredSummary | null): SessionSummary {
  try {
    const found = read(id);
    if (found !== null && typeof found.updatedAt === 'number') {
      const { messageCount: _count, queue: _queue, draft: _draft, ...summary } = found;
      return summary;
    }
  } catch {
    // Listed as broken below; the bytes stay where they are.
  }
  const nothing = {
    version: 0,
    title: '',
    agentName: '',
    parentId: null,
    createdAt: 0,
    updatedAt: 0,
    executionStatus: null,
  };
  return { ...nothing, id, status: 'broken' };
}

function allKeys(storage: Storage): string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
}

function parse(text: string, id: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw broken(id, 'it is not JSON');
  }
}

function broken(id: string, what: string): AgentError {
  return new AgentError(
    'state-invalid',
    `Stored session ${JSON.stringify(id)} cannot be read: ${what}. It was not changed.`,
    {
      data: { id, path: '' },
    },
  );
}

function writeFailed(id: string, cause: unknown): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AgentError(
    'session-storage',
    `Session ${JSON.stringify(id)} could not be written: ${reason} Delete old sessions to make room.`,
    {
      data: { id },
      cause,
    },
  );
}
