import { ownJson } from '../../../graph/document/take-apart.ts';
import type { ExecutionState } from '../../../graph/types.ts';
import { isAgentError } from '../../../kit/agent-error.ts';
import { blobsIn } from '../blobs-in.ts';
import { conflict } from '../session-conflict.ts';
import { assertSessionId } from '../../../kit/check-id.ts';
import type { BlobStore, SessionAppend, SessionRecord, SessionStore } from '../session-store.ts';
import { isUrgent } from './is-urgent.ts';
import { keepBlobs } from './keep-blobs.ts';
import { type FoundUnreadable, listRows } from './list-rows.ts';
import { openSession } from './open-session.ts';
import { planSave } from './plan-save.ts';
import { readRuns } from './read-runs.ts';
import { createRowBook } from './encode-session.ts';
import type { RowAppend, RowStorage } from './row-storage.ts';
import { sealedText } from './sealed-text.ts';
import { createWriter } from './create-writer.ts';
import { createSessionBases } from './create-session-bases.ts';
import { type ReadHead, writeHead } from './read-head.ts';
import { unreadable, unwritable } from './store-errors.ts';

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
      const status = isAgentError(thrown, 'state-version-unsupported') ? 'newer' : 'broken';
      found.set(id, { head: stored.text, status });
      throw unreadable(id, thrown);
    }
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
    async remove(id, { expectedVersion } = {}) {
      const basis =
        expectedVersion === undefined ? null : await reading(id, () => bases.of(id, expectedVersion, 'head'));
      bases.forget(id);
      const isRemoved = await storage.remove(id, basis?.head.stored).catch((thrown: unknown) => {
        throw unwritable(id, thrown);
      });
      if (!isRemoved && expectedVersion !== undefined) throw await refused(id, { expectedVersion });
    },
    list: (query) => listRows(storage, found, query),
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
      : writeHead({ records, root, journal }, { ...data.summary, ...head, id, version: version + 1 });
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
