import type {
  SaveOptions,
  SessionRecord,
  TakenEpoch,
  WriteOptions,
  WriterOptions,
} from '@vitrine/core/internal/session/store/session-store';
import { type SessionBases, type SessionBasis, type SessionGround, groundOf } from './session-bases.ts';
import { type Vacancy, readHead, readVacancy, vacantWrite, writeHead } from './head-shape.ts';
import type { RowStorage, RowWrite, StoredHead } from './row-storage.ts';
import { outboxId } from './rows-by-id.ts';
import { type WriteGround, attempts, conflict } from './session-conflict.ts';
import { readNaming, unwritable } from './store-errors.ts';
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
export class RowWriter {
  readonly #storage: RowStorage;
  readonly #bases: SessionBases;

  constructor(storage: RowStorage, bases: SessionBases) {
    this.#storage = storage;
    this.#bases = bases;
  }

  /** Resolves with the new version. @throws AgentError `session-conflict`, `session-storage` */
  async write(
    id: string,
    options: WriterOptions,
    send: () => Promise<boolean>,
    after: () => SessionBasis,
  ): Promise<number> {
    const isWritten = await guardSend(id, send()).catch((thrown: unknown) => {
      // The write may have succeeded all the same.
      this.#bases.forget(id);
      throw thrown;
    });
    if (!isWritten) throw await this.#conflictError(id, options);
    const basis = after();
    this.#bases.set(id, basis);
    return basis.head.version;
  }

  /** Raises the epoch in the stored head. The head may only keep the epoch of a session that is not saved yet. */
  async takeEpoch(id: string, options?: WriteOptions): Promise<TakenEpoch> {
    assertSessionId(id);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const stored = await this.#storage.head(id);
      const vacancy = stored === null ? null : readVacancy(id, stored);
      const ground = groundOfHead(id, stored);
      if (options !== undefined && options.expectedVersion !== ground.version)
        throw conflict(id, { ...ground, version: options.expectedVersion }, ground);
      const isSession = stored !== null && vacancy === null;
      const taken = await (isSession ? this.#raiseOfSession(id, stored) : this.#raiseOfVacancy(id, vacancy));
      if (taken !== null) return taken;
    }
    const message = `No writer epoch of session ${JSON.stringify(id)} could be taken: others write all the time. Try again.`;
    throw new AgentError('session-storage', message, { data: { id, retryable: true } });
  }

  /** Removes a session. One write replaces its head by a tombstone, so one of the two is always stored. */
  async remove(id: string, { expectedVersion }: Partial<WriteOptions> = {}): Promise<void> {
    let isDone = false;
    while (!isDone) {
      const stored = await readNaming(id, () => this.#storage.head(id));
      const ground = groundOfHead(id, stored);
      if (expectedVersion !== undefined && expectedVersion !== ground.version)
        throw conflict(id, { ...ground, version: expectedVersion }, ground);
      this.#bases.forget(id);
      isDone = ground.isRemoved || (await guardSend(id, this.#bury(id, stored)));
      // Another writer changed it meanwhile; without an expected version that one is removed too.
      if (!isDone && expectedVersion !== undefined) throw await this.#conflictError(id, { expectedVersion });
    }
    await guardSend(id, this.#storage.remove(outboxId(id)));
  }

  /** Creates the error for a stored session that is not the expected one. */
  async #conflictError(id: string, options: WriterOptions): Promise<Error> {
    this.#bases.forget(id);
    return conflict(id, groundOf(options), groundOfHead(id, await this.#storage.head(id)));
  }

  async #raiseOfVacancy(id: string, before: Vacancy | null): Promise<TakenEpoch | null> {
    const { version, removedAt } = before ?? { version: 0, removedAt: null };
    const epoch = (before?.epoch ?? 0) + 1;
    const write = vacantWrite(before?.stored ?? null, { id, epoch, version, removedAt });
    return (await guardSend(id, this.#storage.write(id, write))) ? { epoch, version: 0 } : null;
  }

  async #raiseOfSession(id: string, stored: StoredHead): Promise<TakenEpoch | null> {
    const before = readHead(id, stored);
    const { records, root, journal, taken, writeId, summary, rows } = before.data;
    const { version } = before;
    const epoch = (before.data.epoch ?? 0) + 1;
    // The records behind a head tell the ids of their writes themselves.
    const isLast = records === stored.records && writeId !== undefined;
    const kept = { ...keepings(epoch, taken), ...(isLast ? { writeId } : {}) };
    const head = writeHead(
      { records: stored.records, root, journal, ...kept },
      { summary: { ...summary, version }, ...(rows && { rows }) },
    );
    const append = { expected: stored, record: null, head: head.stored.text, isStrict: true };
    if (!(await guardSend(id, this.#storage.append(id, append)))) return null;
    this.#bases.raise(id, stored, head);
    return { epoch, version };
  }

  /** Replaces the session by a tombstone. @returns false when the stored head is not the expected one */
  async #bury(id: string, stored: StoredHead | null): Promise<boolean> {
    // Left-over rows of an interrupted first write, and files that wait for their message.
    if (stored === null) return this.#storage.remove(id);
    const { epoch, lastVersion: version } = groundOfHead(id, stored);
    const tombstone = { id, epoch, version, removedAt: Math.round(systemEnv.now()) };
    try {
      return await this.#storage.write(id, vacantWrite(stored, tombstone));
    } catch {
      // A full storage has room for the tombstone only after the session is gone.
      if (!(await this.#storage.remove(id, stored))) return false;
      await this.#storage.write(id, vacantWrite(null, tombstone)).catch(() => false);
      return true;
    }
  }
}

function guardSend<Value>(id: string, writing: Promise<Value>): Promise<Value> {
  return writing.catch((thrown: unknown) => {
    throw unwritable(id, thrown);
  });
}

/** The stored version and epoch under an id. A damaged or foreign head has neither. */
function groundOfHead(
  id: string,
  stored: StoredHead | null,
): WriteGround & {
  /** The last version under the id, also of a removed session. */
  readonly lastVersion: number;
  readonly isRemoved: boolean;
} {
  const none = { version: 0, epoch: 0, lastVersion: 0, isRemoved: false };
  if (stored === null) return none;
  try {
    const vacancy = readVacancy(id, stored);
    if (vacancy !== null) {
      const { epoch, version: lastVersion, removedAt } = vacancy;
      return { version: 0, epoch, lastVersion, isRemoved: removedAt !== null };
    }
    const { version, data } = readHead(id, stored);
    return { ...none, version, epoch: data.epoch ?? 0, lastVersion: version };
  } catch {
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
