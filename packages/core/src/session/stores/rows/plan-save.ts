import type { SaveOptions, SessionRecord } from '../session-store.ts';
import { encodeRun, encodeSession, type RowBook, type WrittenPages } from './encode-session.ts';
import { blobsIn } from '../blobs-in.ts';
import { changeRoot, type RowChange } from './row-counts.ts';
import type { RowWrite } from './row-storage.ts';
import { blobOf, type Row } from './row.ts';
import type { SessionBasis } from './session-basis.ts';
import { writeHead } from './read-head.ts';

/** A whole write, and what the next one builds on once it is done. */
export type SavePlan = { readonly write: RowWrite; readonly done: () => SessionBasis };

/** Null when a row is to be put whose text is not kept any more; a new book makes all of them again. */
export function planSave(
  record: SessionRecord,
  options: SaveOptions,
  basis: SessionBasis | null,
  book: RowBook,
): SavePlan | null {
  const { expectedVersion, newRuns = [], isErasing = false } = options;
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
  const head = writeHead(
    { records: 0, root: root.name, journal: { id, records } },
    { ...record, version: expectedVersion + 1 },
  );
  // What a write that was cut short has left may be what this one puts.
  const orphans = (graph?.orphans() ?? []).filter((name) => !put.has(name));
  const drop = graph === null ? 'rest' : [...change.drop.filter((name) => blobOf(name) === null), ...orphans];
  const held = [...new Set([...blobs, ...blobsIn(record.queue)])];
  return {
    write: { expected: basis?.head.stored ?? null, head: head.stored.text, put, drop, blobs: held },
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

/** Most writes change nothing about files: then it is the same set. */
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
