import type { SaveOptions, SessionRecord } from '../session-store.ts';
import { encodeRun, encodeSession, type RowBook, type WrittenPages } from './encode-session.ts';
import { changeRoot } from './row-counts.ts';
import type { RowWrite } from './row-storage.ts';
import type { Row } from './row.ts';
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
  const put = textsOf(change.put);
  if (put === null) return null;
  const { id, records } = record.journal;
  const head = writeHead(
    { records: 0, root: root.name, journal: { id, records } },
    { ...record, version: expectedVersion + 1 },
  );
  // What a write that was cut short has left may be what this one puts.
  const orphans = (graph?.orphans() ?? []).filter((name) => !put.has(name));
  const drop = graph === null ? 'rest' : [...change.drop, ...orphans];
  return {
    write: { expected: basis?.head.stored ?? null, head: head.stored.text, put, drop },
    done() {
      change.commit();
      for (const row of change.put) row.text = null;
      return { head, graph: { root, runs, written, counts: () => counts, orphans: () => [] } };
    },
  };
}

function textsOf(rows: readonly Row[]): ReadonlyMap<string, string> | null {
  const texts = new Map<string, string>();
  for (const { name, text } of rows) {
    if (text === null) return null;
    texts.set(name, text);
  }
  return texts;
}
