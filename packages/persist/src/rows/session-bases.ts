import { type Row, type RowCounts, blobOf, countsOf } from './row.ts';
import type { RowBook, WrittenPages } from './encode-session.ts';
import { type ReadHead, type Vacancy, readHead, readVacancy } from './head-shape.ts';
import { type WriteGround, conflict, isStaleEpoch } from './session-conflict.ts';
import type { SessionRecord, WriterOptions } from '@vitrine/core/internal/session/store/session-store';
import type { RowStorage, StoredHead, StoredRows } from './row-storage.ts';
import { decodeSession, readEntry } from './decode-session.ts';
import { createRowReader } from './row-reader.ts';
import { isSameHead, openSealed } from './head.ts';
import { keepings } from '@vitrine/core/internal/session/store/session-head';
import { namesIn, openHeadRows } from './head-rows.ts';

type RowGraph = {
  readonly root: Row;
  readonly runs: readonly Row[];
  readonly written: WrittenPages;
  readonly counts: () => RowCounts;
  /** The files that the rows reference. */
  readonly blobs: () => ReadonlySet<string>;
  /** Rows without a reference, left by an interrupted write. */
  readonly orphans: () => readonly string[];
};

/** The basis of a write: the head that must still be stored, and its rows. */
export type SessionBasis = {
  readonly head: ReadHead;
  /** The rows; null while only the head is known. */
  readonly graph: RowGraph | null;
};

/** The number of sessions whose basis is kept. With more open sessions, one is read again now and then. */
const keptBases = 32;

/** The stored content under an id: the basis of the next write, a vacancy that a first write fills, or neither. */
export type SessionGround = { readonly basis: SessionBasis | null; readonly vacancy: Vacancy | null };

/** The bases of the sessions that were last read or written. A basis is used only while its head is stored. */
export type SessionBases = ReturnType<typeof createSessionBases>;

export function createSessionBases(storage: RowStorage, book: () => RowBook) {
  const known = new Map<string, SessionBasis>();

  function set(id: string, basis: SessionBasis): void {
    known.delete(id);
    known.set(id, basis);
    for (const oldest of known.keys()) {
      if (known.size <= keptBases) return;
      known.delete(oldest);
    }
  }

  async function read(id: string, needs: 'head' | 'graph'): Promise<SessionGround> {
    const stored = await (needs === 'head' ? storage.head(id) : storage.read(id));
    if (stored === null) return { basis: null, vacancy: null };
    const vacancy = readVacancy(id, stored);
    if (vacancy !== null) return { basis: null, vacancy };
    const basis =
      'rows' in stored
        ? openSession(id, stored as StoredRows, book()).basis
        : { head: readHead(id, stored), graph: null };
    return { basis, vacancy: null };
  }

  return {
    set,
    forget: (id: string) => void known.delete(id),
    /** Replaces the head of a basis after its epoch was raised. */
    raise(id: string, before: StoredHead, head: ReadHead): void {
      const kept = known.get(id);
      if (kept !== undefined && isSameHead(kept.head.stored, before)) set(id, { ...kept, head });
    },
    /**
     * Resolves with the base of a write; without a basis for version 0 of a session that is not stored.
     * @throws AgentError `session-conflict` when another version or a later epoch is stored, and the errors of reading.
     */
    async of(id: string, options: WriterOptions, needs: 'head' | 'graph'): Promise<SessionGround> {
      const expected = groundOf(options);
      const kept = known.get(id);
      const isKept = kept?.head.version === expected.version && epochOf(kept) >= expected.epoch;
      const isEnough = isKept && (needs === 'head' || kept.graph !== null);
      const found = isEnough ? { basis: kept, vacancy: null } : await read(id, needs);
      const stored = storedGround(found);
      const isStale = isStaleEpoch(expected, stored) && !isNew(expected, found);
      if (isStale || stored.version !== expected.version) throw conflict(id, expected, stored);
      // The stored session has the expected version by chance; the caller refers to a session that is gone.
      if (isKept && kept.head.stored.text !== found.basis?.head.stored.text)
        throw conflict(id, expected, stored);
      return found;
    },
  };
}

/** True for a session that never ran and may replace a removed one. */
function isNew({ epoch }: WriteGround, { vacancy }: SessionGround): boolean {
  return epoch === 0 && vacancy !== null && vacancy.removedAt !== null;
}

function epochOf({ head }: SessionBasis): number {
  return head.data.epoch ?? 0;
}

export function groundOf({ expectedVersion, epoch = 0 }: WriterOptions): WriteGround {
  return { version: expectedVersion, epoch };
}

function storedGround({ basis, vacancy }: SessionGround): WriteGround {
  if (basis === null) return { version: 0, epoch: vacancy?.epoch ?? 0 };
  return { version: basis.head.version, epoch: epochOf(basis) };
}

/** A session that was read, and the basis of its next write. */
type OpenedSession = {
  readonly record: SessionRecord;
  /** The place in the tail of the first event of each record behind the rows. */
  readonly recordStarts: readonly number[];
  readonly basis: SessionBasis;
};

/**
 * Decodes a stored session. @throws AgentError `state-invalid` or `state-version-unsupported` when it cannot be read
 */
export function openSession(id: string, stored: StoredRows, book: RowBook): OpenedSession {
  const head = readHead(id, stored);
  const { data, version } = head;
  const reader = createRowReader(stored.rows);
  const root = reader.open(data.root);
  const { runs, written, tail, ...session } = decodeSession(root, reader, book);
  const later = stored.tail.map((text, at) => readEntry(openSealed(text, `record ${at}`)));
  let length = tail.length;
  const recordStarts = later.map(({ events }) => (length += events.length) - events.length);
  const ofHead = data.records === stored.records ? data.writeId : undefined;
  const { id: journalId, records } = data.journal;
  const record: SessionRecord = {
    ...data.summary,
    ...openHeadRows(data.summary, data.rows ?? {}, reader),
    version,
    ...session,
    ...keepings(data.epoch ?? 0, data.taken, ofHead ?? later.at(-1)?.writeId),
    journal: {
      id: journalId,
      records: records + stored.records,
      tail: [...tail, ...later.flatMap(({ events }) => events)],
    },
  };
  let counts: RowCounts | null = null;
  const countRows = (): RowCounts => (counts ??= countsOf(root.row));
  const headRows = namesIn(data.rows);
  const names = [...stored.rows.keys()].filter((name) => !headRows.includes(name));
  const graph = {
    root: root.row,
    runs,
    written,
    counts: countRows,
    blobs: () => new Set([...countRows().keys()].flatMap((name) => blobOf(name) ?? [])),
    orphans: () => names.filter((name) => !countRows().has(name)),
  };
  const { text, records: behind } = stored;
  return { record, recordStarts, basis: { head: { ...head, stored: { text, records: behind } }, graph } };
}
