import { ownJson } from '../../../graph/document/take-apart.ts';
import { systemEnv } from '../../../graph/env.ts';
import type { ExecutionState } from '../../../graph/types.ts';
import { blobsIn } from '../blobs-in.ts';
import { eraseExpired } from '../erase-expired.ts';
import { conflict } from '../session-conflict.ts';
import { assertSessionId } from '../../../kit/check-id.ts';
import type {
  BlobStore,
  SessionAppend,
  SessionRecord,
  SessionStore,
  SessionSummary,
  WriteOptions,
} from '../session-store.ts';
import { isUrgent } from './is-urgent.ts';
import { keepBlobs } from './keep-blobs.ts';
import { type FoundUnreadable, listRows } from './list-rows.ts';
import { openSession } from './open-session.ts';
import { planSave } from './plan-save.ts';
import { readRaw } from './read-raw.ts';
import { readRuns } from './read-runs.ts';
import { createRowBook } from './encode-session.ts';
import type { RowAppend, RowStorage } from './row-storage.ts';
import { sealedText } from './sealed-text.ts';
import { createWriter } from './create-writer.ts';
import { createSessionBases } from './create-session-bases.ts';
import { type ReadHead, writeHead } from './read-head.ts';
import { unreadable, unreadableStatus, unwritable } from './store-errors.ts';

/** A store over rows, without what is there before it is loaded. */
export type RowEngine = Required<
  Omit<SessionStore, 'durability' | 'subscribe' | 'warning' | 'tabs' | 'blobs' | 'inlineBytes'>
> & {
  /** Null for a storage without files. */
  readonly blobs: BlobStore | null;
};

export function createRowEngine(storage: RowStorage): RowEngine {
  let book = createRowBook();
  const bases = createSessionBases(storage, () => book);
  const { write, refused } = createWriter(storage, bases);
  const found: FoundUnreadable = new Map();
  let isSwept = false;

  /** What reading throws names the session; the storage's own errors are of the store. */
  async function reading<Value>(id: string, read: () => Promise<Value>): Promise<Value> {
    try {
      return await read();
    } catch (thrown) {
      throw unreadable(id, thrown);
    }
  }

  async function load(id: string): Promise<SessionRecord | null> {
    bases.forget(id);
    const stored = await reading(id, () => storage.read(id));
    if (stored === null) return null;
    try {
      const { record, basis } = openSession(id, stored, book);
      bases.set(id, basis);
      return record;
    } catch (thrown) {
      found.set(id, { head: stored.text, status: unreadableStatus(thrown) });
      throw unreadable(id, thrown);
    }
  }

  /** What was deleted when another page was open goes when this one looks first. */
  function eraseOnce(all: readonly SessionSummary[]): void {
    if (isSwept) return;
    isSwept = true;
    void eraseExpired(all, remove, systemEnv.now());
  }

  async function remove(id: string, { expectedVersion }: Partial<WriteOptions> = {}): Promise<void> {
    const basis =
      expectedVersion === undefined ? null : await reading(id, () => bases.of(id, expectedVersion, 'head'));
    bases.forget(id);
    const isRemoved = await storage.remove(id, basis?.head.stored).catch((thrown: unknown) => {
      throw unwritable(id, thrown);
    });
    if (!isRemoved && expectedVersion !== undefined) throw await refused(id, { expectedVersion });
  }

  return {
    load,
    blobs: storage.blobs ? keepBlobs(storage.blobs) : null,
    async save(record, options) {
      const { id } = record;
      assertSessionId(id);
      const basis = await reading(id, () => bases.of(id, options.expectedVersion, 'graph'));
      let plan = planSave(record, options, basis, book);
      if (plan === null) {
        book = createRowBook();
        plan = planSave(record, options, basis, book);
      }
      if (plan === null) throw unwritable(id, new Error('a row of it has no text'));
      const made = plan;
      return write(id, options, () => storage.write(id, made.write), made.done);
    },
    async append(id, options) {
      const basis = await reading(id, () => bases.of(id, options.expectedVersion, 'head'));
      if (basis === null) throw conflict(id, options.expectedVersion, 0);
      const { head, append } = planAppend(basis.head, id, options);
      const sent = (): Promise<boolean> => storage.append(id, append);
      return write(id, options, sent, () => ({ ...basis, head }));
    },
    remove,
    list: (query) => listRows(storage, found, query, eraseOnce),
    raw: (id) => reading(id, () => readRaw(id, storage)),
    runs: (id): Promise<readonly ExecutionState[]> => reading(id, () => readRuns(id, storage, book)),
  };
}

/** A record, a new head, or both; with neither the head is written again, and raises the version. */
function planAppend(
  before: ReadHead,
  id: string,
  options: SessionAppend,
): { readonly head: ReadHead; readonly append: RowAppend } {
  const { expectedVersion, journalId, record, events, head } = options;
  const { stored, data, version } = before;
  const { journal, root } = data;
  if (journal.id !== journalId || journal.records + stored.records !== record)
    throw conflict(id, expectedVersion, version);
  const isRecord = events.length > 0;
  const records = stored.records + (isRecord ? 1 : 0);
  const next =
    head === undefined && isRecord
      ? { stored: { ...stored, records }, data, version: version + 1 }
      : writeHead({ records, root, journal }, { ...(head ?? data.summary), id, version: version + 1 });
  const text = isRecord ? sealedText(ownJson(events)) : null;
  const spoken = text?.includes('"blob":{"') === true ? [...blobsIn(events)] : [];
  return {
    head: next,
    append: {
      expected: stored,
      record: text,
      blobs: [...spoken, ...blobsIn(head?.queue)],
      head: next.data === data ? null : next.stored.text,
      isStrict: isUrgent(events),
    },
  };
}
