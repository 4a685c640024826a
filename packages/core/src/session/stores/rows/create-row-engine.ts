import { ownJson } from '../../../graph/document/parts.ts';
import { systemEnv } from '../../../graph/env.ts';
import type { ExecutionState } from '../../../graph/types.ts';
import { blobsIn } from '../attachments.ts';
import { eraseExpired } from '../is-deleted.ts';
import { conflict } from '../session-conflict.ts';
import { assertSessionId } from '../../../kit/ids.ts';
import type {
  BlobStore,
  SessionAppend,
  SessionLoad,
  SessionStore,
  SessionSummary,
} from '../session-store.ts';
import { createRemoval } from './create-removal.ts';
import { type FoundUnreadable, type HiddenHeads, listRows, sweepHidden } from './list-rows.ts';
import { createWriter, isUrgent, planSave, takeEpoch } from './row-writer.ts';
import { keepBlobs } from './keep-blobs.ts';
import { createSessionBases, groundOf, openSession } from './session-bases.ts';
import { readRaw } from './read-raw.ts';
import { readRuns } from './read-runs.ts';
import { createRowBook } from './encode-session.ts';
import { rowOutbox } from './row-outbox.ts';
import type { RowAppend, RowStorage, StoredRows } from './row-storage.ts';
import { sealedText } from './sealed-text.ts';
import { keptByWrite } from '../session-head.ts';
import { changedHeadRows, headParts } from './head-schema.ts';
import { type ReadHead, writeHead } from './read-head.ts';
import { unreadable, unreadableStatus, unwritable } from './store-errors.ts';
import { readVacancy } from './vacant-head.ts';

/** A store over rows, without the fields that exist before the engine is loaded. */
export type RowEngine = Required<
  Omit<SessionStore, 'durability' | 'identity' | 'subscribe' | 'warning' | 'tabs' | 'blobs' | 'inlineBytes'>
> & {
  /** The files; null for a storage without them. */
  readonly blobs: BlobStore | null;
};

export function createRowEngine(storage: RowStorage): RowEngine {
  let book = createRowBook();
  const bases = createSessionBases(storage, () => book);
  const { write, refused } = createWriter(storage, bases);
  const found: FoundUnreadable = new Map();
  let isSwept = false;

  /** Adds the id of the session to read errors. Errors of the storage itself stay unchanged. */
  async function reading<Value>(id: string, read: () => Promise<Value>): Promise<Value> {
    try {
      return await read();
    } catch (thrown) {
      throw unreadable(id, thrown);
    }
  }

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
      const { record, basis } = openSession(id, stored, book);
      bases.set(id, basis);
      return { kind: 'there', session: record };
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

  const remove = createRemoval(storage, bases, refused);

  return {
    load,
    blobs: storage.blobs ? keepBlobs(storage.blobs) : null,
    async save(record, options) {
      const { id } = record;
      assertSessionId(id);
      const ground = await reading(id, () => bases.of(id, options, 'graph'));
      let plan = planSave(record, options, ground, book);
      if (plan === null) {
        book = createRowBook();
        plan = planSave(record, options, ground, book);
      }
      if (plan === null) throw unwritable(id, new Error('a row of it has no text'));
      const made = plan;
      return write(id, options, () => storage.write(id, made.write), made.done);
    },
    async append(id, options) {
      const { basis } = await reading(id, () => bases.of(id, options, 'head'));
      if (basis === null) throw conflict(id, groundOf(options), { version: 0, epoch: 0 });
      const { head, append } = planAppend(basis.head, id, options);
      const sent = (): Promise<boolean> => storage.append(id, append);
      return write(id, options, sent, () => ({ ...basis, head }));
    },
    takeEpoch: (id) => reading(id, () => takeEpoch(id, storage, bases)),
    outbox: rowOutbox(storage),
    remove,
    list: (query) => listRows(storage, found, query, sweepOnce),
    raw: (id) => reading(id, () => readRaw(id, storage)),
    runs: (id): Promise<readonly ExecutionState[]> => reading(id, () => readRuns(id, storage, book)),
  };
}

/**
 * Plans an append: a record, a new head, or both. Without either, the head is rewritten to raise the version.
 */
function planAppend(
  before: ReadHead,
  id: string,
  options: SessionAppend,
): { readonly head: ReadHead; readonly append: RowAppend } {
  const { journalId, record, events, head, commands = [] } = options;
  const { stored, data, version } = before;
  const { journal, root, epoch = 0 } = data;
  if (journal.id !== journalId || journal.records + stored.records !== record)
    throw conflict(id, groundOf(options), { version, epoch });
  const isRecord = events.length > 0;
  const records = stored.records + (isRecord ? 1 : 0);
  const isSameHead = head === undefined && isRecord && commands.length === 0;
  const kept = keptByWrite(data, options);
  const at = { id, version: version + 1 };
  const parts = head && headParts({ ...head, ...at });
  const next = isSameHead
    ? { stored: { ...stored, records }, data, version: version + 1 }
    : writeHead(
        { records, root, journal, ...kept },
        parts ?? { ...data, summary: { ...data.summary, ...at } },
      );
  const text = isRecord ? sealedText(ownJson(events)) : null;
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
