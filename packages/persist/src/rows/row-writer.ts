import { type WriteGround, conflict } from './session-conflict.ts';
import type {
  SaveOptions,
  SessionRecord,
  SessionStore,
  TakenEpoch,
  WriteOptions,
  WriterOptions,
} from '@vitrine/core/internal/session/store/session-store';
import { type SessionBases, type SessionBasis, type SessionGround, groundOf } from './session-bases.ts';
import { type Vacancy, readHead, readVacancy, vacantWrite, writeHead } from './head-shape.ts';
import type { RowStorage, RowWrite, StoredHead } from './row-storage.ts';
import { outboxId } from './rows-by-id.ts';
import { unreadable, unwritable } from './store-errors.ts';
import { type RowBook, type WrittenPages, encodeRun, encodeSession } from './encode-session.ts';
import { blobsIn } from '@vitrine/core/internal/session/store/attachments';
import { type Row, type RowChange, blobOf, changeRoot } from './row.ts';
import { keepings, keptByWrite } from '@vitrine/core/internal/session/store/session-head';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { assertSessionId } from '@vitrine/core/internal/kit/ids';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { changedHeadRows, headParts } from './head-rows.ts';
import { systemEnv } from '@vitrine/core/internal/graph/env';

/** Sends writes and keeps the bases of the next ones. */
type RowWriter = {
  /** Resolves with the new version. @throws AgentError `session-conflict`, `session-storage` */
  readonly write: (
    id: string,
    options: WriterOptions,
    send: () => Promise<boolean>,
    after: () => SessionBasis,
  ) => Promise<number>;
  /** Creates the error for a stored session that is not the expected one. */
  readonly conflictError: (id: string, options: WriterOptions) => Promise<Error>;
};

export function createRowWriter(storage: RowStorage, bases: SessionBases): RowWriter {
  async function conflictError(id: string, options: WriterOptions): Promise<Error> {
    bases.forget(id);
    const stored = await storage.head(id);
    return conflict(id, groundOf(options), groundOfHead(id, stored));
  }

  return {
    conflictError,
    async write(id, options, send, after) {
      const isWritten = await send().catch((thrown: unknown) => {
        // The write may have succeeded all the same.
        bases.forget(id);
        throw unwritable(id, thrown);
      });
      if (!isWritten) throw await conflictError(id, options);
      const basis = after();
      bases.set(id, basis);
      return basis.head.version;
    },
  };
}

function groundOfHead(id: string, stored: StoredHead | null): WriteGround {
  const none = { version: 0, epoch: 0 };
  if (stored === null) return none;
  try {
    const vacancy = readVacancy(id, stored);
    if (vacancy !== null) return { ...none, epoch: vacancy.epoch };
    const { version, data } = readHead(id, stored);
    return { version, epoch: data.epoch ?? 0 };
  } catch {
    // The stored head is foreign.
    return none;
  }
}

/** A whole write, and the basis of the next one once it is done. */
type SavePlan = { readonly write: RowWrite; readonly after: () => SessionBasis };

/** Plans a whole write. Null when the text of a row to put is gone; a new book encodes all rows again. */
export function planSave(
  record: SessionRecord,
  options: SaveOptions,
  { basis, vacancy }: SessionGround,
  book: RowBook,
): SavePlan | null {
  const { newRuns = [], isErasing = false } = options;
  const graph = basis?.graph ?? null;
  const written: WrittenPages = { ...graph?.written, messages: new Map(graph?.written.messages) };
  const earlier = isErasing ? [] : (graph?.runs ?? []);
  const runs = newRuns.length === 0 ? earlier : [...earlier, ...newRuns.map((run) => encodeRun(run, book))];
  const root = encodeSession(record, runs, written, book);
  const counts = graph?.counts() ?? new Map<string, number>();
  const change = changeRoot(counts, graph?.root ?? null, root);
  const put = textsOf(change.put.filter(({ name }) => blobOf(name) === null));
  if (put === null) return null;
  const blobs = changedBlobs(graph?.blobs() ?? new Set(), change);
  const { id, records } = record.journal;
  const kept = keptByWrite(basis?.head.data ?? keepings(vacancy?.epoch ?? 0, []), options);
  const version = (basis?.head.version ?? vacancy?.version ?? 0) + 1;
  const parts = headParts({ ...record, version });
  const ofHead = changedHeadRows(basis?.head.data.rows, parts);
  const head = writeHead({ records: 0, root: root.name, journal: { id, records }, ...kept }, parts);
  // A left-over row of an interrupted write may be one that this write puts.
  const orphans = (graph?.orphans() ?? []).filter((name) => !put.has(name));
  const gone = change.drop.filter((name) => blobOf(name) === null);
  const drop = graph === null ? 'rest' : [...gone, ...orphans, ...ofHead.drop];
  const held = [...new Set([...blobs, ...blobsIn(record.queue)])];
  return {
    write: {
      expected: basis?.head.stored ?? vacancy?.stored ?? null,
      head: head.stored.text,
      put: new Map([...put, ...ofHead.put]),
      drop,
      blobs: held,
    },
    after() {
      change.commit();
      for (const row of change.put) row.text = null;
      return {
        head,
        graph: { root, runs, written, counts: () => counts, blobs: () => blobs, orphans: () => [] },
      };
    },
  };
}

/** The files after a change. Most writes change none; then the set keeps its reference. */
function changedBlobs(before: ReadonlySet<string>, { put, drop }: RowChange): ReadonlySet<string> {
  const come = put.flatMap(({ name }) => blobOf(name) ?? []);
  const gone = new Set(drop.flatMap((name) => blobOf(name) ?? []));
  if (come.length === 0 && gone.size === 0) return before;
  return new Set([...before, ...come].filter((hash) => !gone.has(hash)));
}

function textsOf(rows: readonly Row[]): ReadonlyMap<string, string> | null {
  const texts = new Map<string, string>();
  for (const { name, text } of rows) {
    if (text === null) return null;
    texts.set(name, text);
  }
  return texts;
}

/** The number of attempts. Other writers may win between a read and a write. */
const attempts = 64;

/**
 * Raises the epoch in the stored head. The head may only keep the epoch of a session that is not saved yet.
 */
export async function takeEpoch(
  id: string,
  storage: RowStorage,
  bases: SessionBases,
  options?: WriteOptions,
): Promise<TakenEpoch> {
  assertSessionId(id);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = await storage.head(id);
    const vacancy = stored === null ? null : readVacancy(id, stored);
    const ground = groundOfHead(id, stored);
    if (options !== undefined && options.expectedVersion !== ground.version)
      throw conflict(id, { ...ground, version: options.expectedVersion }, ground);
    const taken =
      stored !== null && vacancy === null
        ? await raiseOfSession(id, stored, storage, bases)
        : await raiseOfVacancy(id, vacancy, storage);
    if (taken !== null) return taken;
  }
  const message = `No writer epoch of session ${JSON.stringify(id)} could be taken: others write all the time. Try again.`;
  throw new AgentError('session-storage', message, { data: { id, retryable: true } });
}

async function raiseOfVacancy(
  id: string,
  before: ReturnType<typeof readVacancy>,
  storage: RowStorage,
): Promise<TakenEpoch | null> {
  const { version, removedAt } = before ?? { version: 0, removedAt: null };
  const epoch = (before?.epoch ?? 0) + 1;
  const write = vacantWrite(before?.stored ?? null, { id, epoch, version, removedAt });
  return (await guardSend(id, storage.write(id, write))) ? { epoch, version: 0 } : null;
}

async function raiseOfSession(
  id: string,
  stored: StoredHead,
  storage: RowStorage,
  bases: SessionBases,
): Promise<TakenEpoch | null> {
  const before = readHead(id, stored);
  const { root, journal, taken, summary, rows } = before.data;
  const { version } = before;
  const epoch = (before.data.epoch ?? 0) + 1;
  const keepings = { epoch, ...(taken === undefined ? {} : { taken }) };
  const kept = { summary: { ...summary, version }, ...(rows && { rows }) };
  const head = writeHead({ records: stored.records, root, journal, ...keepings }, kept);
  const append = { expected: stored, record: null, head: head.stored.text, isStrict: true };
  if (!(await guardSend(id, storage.append(id, append)))) return null;
  bases.raise(id, stored, head);
  return { epoch, version };
}

function guardSend(id: string, writing: Promise<boolean>): Promise<boolean> {
  return writing.catch((thrown: unknown) => {
    throw unwritable(id, thrown);
  });
}

const urgent: ReadonlySet<string> = new Set([
  'tool-start',
  'tool-end',
  'approval-request',
  'approval-answer',
  'execution-end',
] satisfies AgentChange['type'][]);

/** True for events that need the strictest durability, because a tool waits for them or nothing follows. */
export function isUrgent(events: readonly AgentChange[]): boolean {
  return events.some(({ type }) => urgent.has(type));
}

/**
 * Creates the removal of sessions. One write replaces the session's head by a tombstone, so one of the two is
 * always stored.
 */
export function createRemoval(
  storage: RowStorage,
  bases: SessionBases,
  conflictError: (id: string, options: WriterOptions) => Promise<Error>,
): SessionStore['remove'] {
  return async (id, { expectedVersion } = {}) => {
    let isDone = false;
    while (!isDone) {
      const stored = await storage.head(id).catch((thrown: unknown) => {
        throw unreadable(id, thrown);
      });
      const last = lastOf(id, stored);
      if (expectedVersion !== undefined && expectedVersion !== last.storedVersion)
        throw conflict(
          id,
          { version: expectedVersion, epoch: last.epoch },
          { version: last.storedVersion, epoch: last.epoch },
        );
      bases.forget(id);
      isDone = last.vacancy?.removedAt != null || (await bury(id, stored, last, storage));
      // Another writer changed it meanwhile; without an expected version that one is removed too.
      if (!isDone && expectedVersion !== undefined) throw await conflictError(id, { expectedVersion });
    }
    await storage.remove(outboxId(id)).catch((thrown: unknown) => {
      throw unwritable(id, thrown);
    });
  };
}

type Last = {
  readonly epoch: number;
  /** The last version under the id, also of a removed session. */
  readonly version: number;
  /** The stored version; 0 where no session is stored. */
  readonly storedVersion: number;
  readonly vacancy: Vacancy | null;
};

/** Returns the last epoch and version under an id. A damaged head has neither and is removed all the same. */
function lastOf(id: string, stored: StoredHead | null): Last {
  const nothing = { epoch: 0, version: 0, storedVersion: 0, vacancy: null };
  if (stored === null) return nothing;
  try {
    const vacancy = readVacancy(id, stored);
    if (vacancy !== null)
      return { epoch: vacancy.epoch, version: vacancy.version, storedVersion: 0, vacancy };
    const { data, version } = readHead(id, stored);
    return { epoch: data.epoch ?? 0, version, storedVersion: version, vacancy: null };
  } catch {
    return nothing;
  }
}

/** Replaces the session by a tombstone. @returns false when the stored head is not the expected one */
async function bury(
  id: string,
  stored: StoredHead | null,
  { epoch, version }: Last,
  storage: RowStorage,
): Promise<boolean> {
  try {
    // Left-over rows of an interrupted first write, and files that wait for their message.
    if (stored === null) return await storage.remove(id);
    const removedAt = Math.round(systemEnv.now());
    const tombstone = { id, epoch, version, removedAt };
    try {
      return await storage.write(id, vacantWrite(stored, tombstone));
    } catch {
      // A full storage has room for the tombstone only after the session is gone.
      if (!(await storage.remove(id, stored))) return false;
      await storage.write(id, vacantWrite(null, tombstone)).catch(() => false);
      return true;
    }
  } catch (thrown) {
    throw unwritable(id, thrown);
  }
}
