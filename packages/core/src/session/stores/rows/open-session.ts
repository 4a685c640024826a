import type { SessionRecord } from '../session-store.ts';
import type { SessionBasis } from './session-basis.ts';
import { decodeSession, readEvents } from './decode-session.ts';
import type { RowBook } from './encode-session.ts';
import { blobOf } from './row.ts';
import { createRowReader } from './row-reader.ts';
import { countsOf, type RowCounts } from './row-counts.ts';
import type { StoredRows } from './row-storage.ts';
import { openSealed } from './sealed-text.ts';
import { keepings } from '../head-keepings.ts';
import { openHeadRows } from './head-rows.ts';
import { readHead } from './read-head.ts';

/** A session that was read, and the basis of its next write. */
export type OpenedSession = { readonly record: SessionRecord; readonly basis: SessionBasis };

/**
 * Decodes a stored session. @throws AgentError `state-invalid` or `state-version-unsupported` when it cannot
 * be read
 */
export function openSession(id: string, stored: StoredRows, book: RowBook): OpenedSession {
  const head = readHead(id, stored);
  const { data, version } = head;
  const reader = createRowReader(stored.rows);
  const root = reader.open(data.root);
  const { runs, written, tail, ...session } = decodeSession(root, reader, book);
  const later = stored.tail.flatMap((text, at) => readEvents(openSealed(text, `record ${at}`)));
  const { id: journalId, records } = data.journal;
  const record: SessionRecord = {
    ...data.summary,
    ...openHeadRows(data.summary, data.rows ?? {}, reader),
    version,
    ...session,
    ...keepings(data.epoch ?? 0, data.taken ?? []),
    journal: { id: journalId, records: records + stored.records, tail: [...tail, ...later] },
  };
  let counts: RowCounts | null = null;
  const counted = (): RowCounts => (counts ??= countsOf(root.row));
  const ofHead = Object.values(data.rows ?? {});
  const names = [...stored.rows.keys()].filter((name) => !ofHead.includes(name));
  const graph = {
    root: root.row,
    runs,
    written,
    counts: counted,
    blobs: () => new Set([...counted().keys()].flatMap((name) => blobOf(name) ?? [])),
    orphans: () => names.filter((name) => !counted().has(name)),
  };
  const { text, records: behind } = stored;
  return { record, basis: { head: { ...head, stored: { text, records: behind } }, graph } };
}
