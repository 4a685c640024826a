import { ownJson } from '@vitrine/core/internal/graph/document/document';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import type { ExecutionState } from '@vitrine/core/internal/graph/types';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { freeze } from '@vitrine/core/internal/kit/freeze';
import { assertSessionId } from '@vitrine/core/internal/kit/ids';
import { blobsIn } from '@vitrine/core/internal/session/store/attachments';
import { eraseExpired, tombstoneMs } from '@vitrine/core/internal/session/store/is-deleted';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { keptByWrite } from '@vitrine/core/internal/session/store/session-head';
import type {
  BlobStore,
  RawSession,
  SessionAppend,
  SessionList,
  SessionLoad,
  SessionQuery,
  SessionStore,
  SessionSummary,
} from '@vitrine/core/internal/session/store/session-store';
import { decodeRun } from './decode-session.ts';
import { createRowBook, type RowBook } from './encode-session.ts';
import { changedHeadRows, headParts } from './head-rows.ts';
import { listedHead, type ReadHead, readOutbox, readVacancy, type Vacancy, writeHead } from './head-shape.ts';
import { isVacant, sealedText } from './head.ts';
import { holdsText, listSessions } from './list-sessions.ts';
import { rowOutbox } from './row-outbox.ts';
import { createRowReader } from './row-reader.ts';
import type { BlobRows, RowAppend, RowStorage, StoredHead, StoredRows } from './row-storage.ts';
import { isUrgent, planSave, RowWriter } from './row-writer.ts';
import { ownerOfOutbox, rowsById } from './rows-by-id.ts';
import { createSessionBases, groundOf, openSession } from './session-bases.ts';
import { conflict } from './session-conflict.ts';
import { readNaming, unreadable, unreadableStatus, unwritable } from './store-errors.ts';

/** A store over rows, without the fields that exist before the engine is loaded. */
export type RowEngine = Required<
  Pick<SessionStore, 'load' | 'takeEpoch' | 'outbox' | 'save' | 'append' | 'remove' | 'list' | 'runs' | 'raw'>
> & {
  /** The files; null for a storage without them. */
  readonly blobs: BlobStore | null;
};

export function createRowEngine(named: RowStorage): RowEngine {
  const storage = rowsById(named);
  let book = createRowBook();
  const bases = createSessionBases(storage, () => book);
  const writer = new RowWriter(storage, bases);
  const remove: RowEngine['remove'] = (id, options) => writer.remove(id, options);
  const found: FoundUnreadable = new Map();
  let isSwept = false;

  async function load(id: string): Promise<SessionLoad> {
    bases.forget(id);
    let stored: StoredRows | null;
    try {
      stored = await storage.read(id);
    } catch (thrown) {
      return { kind: 'unknown', error: unreadable(id, thrown) };
    }
    if (stored === null) return { kind: 'absent', removedAt: null, epoch: 0 };
    try {
      const vacancy = readVacancy(id, stored);
      if (vacancy !== null) return { kind: 'absent', removedAt: vacancy.removedAt, epoch: vacancy.epoch };
      const { record, recordStarts, basis } = openSession(id, stored, book);
      bases.set(id, basis);
      return { kind: 'there', session: record, ...(recordStarts.length === 0 ? {} : { recordStarts }) };
    } catch (thrown) {
      found.set(id, { head: stored.text, status: unreadableStatus(thrown) });
      throw unreadable(id, thrown);
    }
  }

  /** Erases deleted sessions and old tombstones with the first list of this page. */
  function sweepOnce(all: readonly SessionSummary[], hidden: HiddenHeads): void {
    if (isSwept) return;
    isSwept = true;
    void eraseExpired(all, remove, systemEnv.now());
    void sweepHidden(storage, hidden, systemEnv.now());
  }

  return {
    load,
    blobs: storage.blobs ? keepBlobs(storage.blobs) : null,
    async save(record, options) {
      const { id } = record;
      assertSessionId(id);
      const ground = await readNaming(id, () => bases.of(id, options, 'graph'));
      let plan = planSave(record, options, ground, book);
      if (plan === null) {
        book = createRowBook();
        plan = planSave(record, options, ground, book);
      }
      if (plan === null) throw unwritable(id, new Error('a row of it has no text'));
      const made = plan;
      return writer.write(id, options, () => storage.write(id, made.write), made.after);
    },
    async append(id, options) {
      const { basis } = await readNaming(id, () => bases.of(id, options, 'head'));
      if (basis === null) throw conflict(id, groundOf(options), { version: 0, epoch: 0 });
      const { head, append } = planAppend(basis.head, id, options);
      const sendAppend = (): Promise<boolean> => storage.append(id, append);
      return writer.write(id, options, sendAppend, () => ({ ...basis, head }));
    },
    takeEpoch: (id, options) => readNaming(id, () => writer.takeEpoch(id, options)),
    outbox: rowOutbox(storage),
    remove,
    list: (query) => listRows(storage, found, query, sweepOnce),
    raw: (id) => readNaming(id, () => readRaw(id, storage)),
    runs: (id): Promise<readonly ExecutionState[]> => readNaming(id, () => readRuns(id, storage, book)),
  };
}

/** Plans an append: a record, a new head, or both. Without either, the head is rewritten to raise the version. */
function planAppend(
  before: ReadHead,
  id: string,
  options: SessionAppend,
): { readonly head: ReadHead; readonly append: RowAppend } {
  const { journalId, events, head, commands = [], writeId = '' } = options;
  const { stored, data, version } = before;
  const { journal, root, epoch = 0 } = data;
  if (journal.id !== journalId) throw conflict(id, groundOf(options), { version, epoch });
  const isRecord = events.length > 0;
  const records = stored.records + (isRecord ? 1 : 0);
  const isSameHead = head === undefined && isRecord && commands.length === 0;
  const kept = keptByWrite(data, options);
  const at = { id, version: version + 1 };
  const parts = head && headParts({ ...head, ...at });
  const next = isSameHead
    ? { stored: { ...stored, records }, data, version: version + 1 }
    : writeHead(
        { records, root, journal, writeId, ...kept },
        parts ?? { ...data, summary: { ...data.summary, ...at } },
      );
  const entry = isSameHead && writeId !== '' ? { writeId, events } : events;
  const text = isRecord ? sealedText(ownJson(entry)) : null;
  const spoken = text?.includes('"blob":{"') === true ? [...blobsIn(events)] : [];
  return {
    head: next,
    append: {
      expected: stored,
      record: text,
      blobs: [...spoken, ...blobsIn(head?.queue)],
      head: next.data === data ? null : next.stored.text,
      ...(parts && changedHeadRows(data.rows, parts)),
      isStrict: isUrgent(events),
    },
  };
}

/** Resolves with all texts of a session, damaged or not; null when there is none. */
async function readRaw(id: string, storage: RowStorage): Promise<RawSession | null> {
  const stored = await storage.read(id);
  if (stored === null || isVacant(stored.text)) return null;
  const { text: head, rows, tail } = stored;
  // Archived rows are read by name only.
  const named = [...rows.values()].flatMap((text) => text.match(/\brun\.[\w-]+/g) ?? []);
  const archived = await storage.rows(id, [...new Set(named)]);
  return { head, rows: Object.fromEntries([...rows, ...archived]), tail };
}

/**
 * Resolves with the earlier executions of a session, oldest first: those with rows, and those that ended in the tail.
 */
async function readRuns(id: string, storage: RowStorage, book: RowBook): Promise<readonly ExecutionState[]> {
  const stored = await storage.read(id);
  if (stored === null || isVacant(stored.text)) return [];
  const { record, basis } = openSession(id, stored, book);
  const rows = basis.graph?.runs ?? [];
  const names = rows.flatMap(({ refs }) => refs.map(({ name }) => name));
  const reader = createRowReader(
    names.length === 0 ? new Map() : await storage.rows(id, [...new Set(names)]),
  );
  const runs = rows.map((row) => decodeRun(row, reader));
  return [...runs, ...freeze(liveRecord(record).replacedRuns)];
}

/** Creates a file store that names files by the hash of their content and verifies every file it reads. */
function keepBlobs(rows: BlobRows): BlobStore {
  return {
    async put(data, { mediaType, sessionId }) {
      // A copy, so that later changes by the application do not reach the store.
      const bytes = data instanceof Blob ? await data.arrayBuffer() : data.slice().buffer;
      const hash = await hashOfBytes(bytes);
      await rows.put(sessionId, { hash, bytes, mediaType }).catch((thrown: unknown) => {
        throw notKept(bytes.byteLength, thrown);
      });
      return { hash, size: bytes.byteLength };
    },
    async get(hash) {
      const found = await rows.get(hash);
      if (found === null || (await hashOfBytes(found.bytes)) !== hash) return null;
      return new Blob([found.bytes], { type: found.mediaType });
    },
  };
}

async function hashOfBytes(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function notKept(size: number, cause: unknown): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `A file of ${size} bytes could not be stored: ${reason} Delete old sessions to make room, or send a smaller one.`;
  return new AgentError('session-storage', message, { data: { size }, cause });
}

/** Sessions that a load could not read although their head is valid, by id. */
type FoundUnreadable = Map<string, { readonly head: string; readonly status: 'broken' | 'newer' }>;

/** Lists sessions from their heads. Bodies are read only for a search. */
async function listRows(
  storage: RowStorage,
  found: FoundUnreadable,
  query: SessionQuery = {},
  onAll: (all: readonly SessionSummary[], hidden: HiddenHeads) => void = () => undefined,
): Promise<SessionList> {
  const heads = await readNaming(query.id ?? '*', () => headsOf(storage, query.id));
  const { sessions, hidden } = withoutHidden(heads);
  const all = sessions.map(([id, head]) => {
    const unread = found.get(id);
    return listedHead(id, head, unread?.head === head.text ? unread.status : null);
  });
  if (query.id === undefined) onAll(all, hidden);
  const { search } = query;
  if (search === undefined) return listSessions(all, query);
  const { limit: _limit, cursor: _cursor, search: _search, ...filters } = query;
  const matching: SessionSummary[] = [];
  for (const summary of listSessions(all, filters).sessions)
    if (await matchesSearch(storage, summary, search)) matching.push(summary);
  return listSessions(matching, query);
}

async function headsOf(
  storage: RowStorage,
  id: string | undefined,
): Promise<ReadonlyMap<string, StoredHead>> {
  if (id === undefined) return storage.heads();
  const head = await storage.head(id);
  return new Map(head === null ? [] : [[id, head]]);
}

async function matchesSearch(
  storage: RowStorage,
  { id, title }: SessionSummary,
  search: string,
): Promise<boolean> {
  try {
    const stored = await storage.read(id);
    if (stored === null) return false;
    // A book of its own, so that the rows of a searched session are not kept.
    return holdsText(title, liveRecord(openSession(id, stored, createRowBook()).record).state, search);
  } catch {
    // The body cannot be read, so only the title is searched.
    return title.toLowerCase().includes(search.toLowerCase());
  }
}

/** Heads that no list shows: vacancies by id, and outboxes by name. */
type HiddenHeads = {
  readonly vacancies: readonly Vacancy[];
  readonly outboxes: ReadonlyMap<string, StoredHead>;
};

function withoutHidden(heads: ReadonlyMap<string, StoredHead>): {
  readonly sessions: readonly (readonly [id: string, stored: StoredHead])[];
  readonly hidden: HiddenHeads;
} {
  const vacancies: Vacancy[] = [];
  const outboxes = new Map<string, StoredHead>();
  const sessions = [...heads].filter(([id, stored]) => {
    if (ownerOfOutbox(id) !== null) {
      outboxes.set(id, stored);
      return false;
    }
    const vacancy = vacancyOf(id, stored);
    if (vacancy !== null) vacancies.push(vacancy);
    return vacancy === null;
  });
  return { sessions, hidden: { vacancies, outboxes } };
}

/** Erases hidden heads after 30 days, and outboxes of removed sessions. Never rejects. */
async function sweepHidden(
  storage: RowStorage,
  { vacancies, outboxes }: HiddenHeads,
  now: number,
): Promise<void> {
  const isOld = (at: number): boolean => at + tombstoneMs <= now;
  const removed = new Set(vacancies.flatMap(({ id, removedAt }) => (removedAt === null ? [] : [id])));
  const old = vacancies.filter(({ at }) => isOld(at)).map(({ id, stored }) => [id, stored] as const);
  const left = [...outboxes].filter(
    ([name, stored]) => removed.has(ownerOfOutbox(name) ?? '') || isOld(timeOfOutbox(name, stored)),
  );
  // A failed removal is repeated at the next opening; a head that changed since stays.
  for (const [id, stored] of [...old, ...left]) await storage.remove(id, stored).catch(() => undefined);
}

/** Returns the vacancy of a head. A damaged head is listed as an unreadable session instead. */
function vacancyOf(id: string, stored: StoredHead): Vacancy | null {
  try {
    return readVacancy(id, stored);
  } catch {
    return null;
  }
}

/** Returns the time of the last change of an outbox. An unreadable one stays until its session is removed. */
function timeOfOutbox(name: string, stored: StoredHead): number {
  try {
    return readOutbox(name, stored).at;
  } catch {
    return Infinity;
  }
}
