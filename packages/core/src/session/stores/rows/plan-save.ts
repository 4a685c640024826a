import type { SaveOptions, SessionRecord } from '../session-store.ts';
import { encodeRun, encodeSession, type RowBook, type WrittenPages } from './encode-session.ts';
import { blobsIn } from '../blobs-in.ts';
import { changeRoot, type RowChange } from './row-counts.ts';
import type { RowWrite } from './row-storage.ts';
import { blobOf, type Row } from './row.ts';
import type { SessionGround } from './create-session-bases.ts';
import type { SessionBasis } from './session-basis.ts';
import { keepings, keptByWrite } from '../head-keepings.ts';
import { changedHeadRows, headParts } from './head-rows.ts';
import { writeHead } from './read-head.ts';

/** A whole write, and the basis of the next one once it is done. */
export type SavePlan = { readonly write: RowWrite; readonly done: () => SessionBasis };

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
    done() {
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
