import * as errors from '@vitrine/core/internal/kit/errors';
import { ownJson } from '@vitrine/core/internal/graph/document/document';
import type { ExecutionState } from '@vitrine/core/internal/graph/types';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { type JsonValue, readJson } from '@vitrine/core/internal/kit/json';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { decodeRun, decodeSession } from '../rows/decode-session.ts';
import { createRowBook, encodeRun, encodeSession } from '../rows/encode-session.ts';
import { type Row, changeRoot } from '../rows/row.ts';
import { createValueReader, damagedRow } from '../rows/row-reader.ts';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { type DocumentFiles, type FilePlace, inlineFiles } from './document-files.ts';
import { type SessionDocument, checkDocument, documentSchemaName } from './session-document-shape.ts';
import { sessionFormat } from '../rows/format.ts';

/** Writes a session with its earlier runs as a document without files. All events are folded in. */
export function writeDocument(
  record: SessionRecord,
  earlier: readonly ExecutionState[],
  exportedAt: number,
): SessionDocument {
  const { state, checkpoints, replacedRuns } = liveRecord(record);
  const live = { ...record, state, checkpoints, journal: { ...record.journal, tail: [] } };
  return writeRecord(live, [...earlier, ...replacedRuns], exportedAt);
}

/** Writes a session as it is stored: a snapshot, and the events behind it. */
export function writeRecord(
  record: SessionRecord,
  earlier: readonly ExecutionState[],
  exportedAt: number,
): SessionDocument {
  const { id, title, agentName, parentId, createdAt, updatedAt, queue, draft } = record;
  const book = createRowBook();
  // A store with `runs` also returns those of the tail.
  const runs = new Map(earlier.map((run) => [run.executionId, encodeRun(run, book)]));
  const root = encodeSession(record, [...runs.values()], { messages: new Map() }, book);
  const head = { id, title, agentName, parentId, createdAt, updatedAt, queue: ownJson(queue), draft };
  return {
    $schema: documentSchemaName,
    version: sessionFormat,
    exportedAt,
    ...head,
    root: root.name,
    rows: valuesBelow(root),
  };
}

/** The content of all rows below a root; a file has no content. */
function valuesBelow(root: Row): SessionDocument['rows'] {
  const rows = changeRoot(new Map(), null, root).put;
  return Object.fromEntries(
    rows.flatMap(({ name, text }) => (text === null ? [] : [[name, JSON.parse(text) as JsonValue]])),
  );
}

export type ReadDocument = {
  readonly record: Omit<SessionRecord, 'version' | 'journal'>;
  readonly runs: readonly ExecutionState[];
  readonly files: DocumentFiles;
  /** The events behind the snapshot; none in an exported document. */
  readonly tail: readonly AgentChange[];
};

/**
 * Parses an exported session for a store; `given` is the document or its text. Files become inline where the store
 * keeps none.
 * @throws AgentError `state-invalid` with the path of the error, `state-version-unsupported` for a newer document.
 */
export function readSessionDocument(given: unknown, store: FilePlace): ReadDocument {
  const document = checkDocument(typeof given === 'string' ? parseDocument(given) : given);
  const { files = {}, root, rows } = document;
  inlineFiles(document, files, store);
  const { id, title, agentName, parentId, createdAt, updatedAt, queue, draft } = document;
  const reader = createValueReader(new Map(Object.entries(rows)));
  const opened = reader.open(root);
  assertUnfolds(opened.row);
  const { state, branches, checkpoints, runs, tail } = decodeSession(opened, reader, createRowBook());
  const executionStatus = state.execution?.status ?? null;
  const head = { id, title, agentName, parentId, createdAt, updatedAt, queue, draft, executionStatus };
  return {
    record: { ...head, status: 'active', state, branches, checkpoints },
    runs: runs.map((run) => decodeRun(run, reader)),
    files,
    tail,
  };
}

/** The value of the text of a document. @throws AgentError `state-invalid` */
export function parseDocument(text: string): unknown {
  const json = readJson(text);
  if (!json.ok) throw errors.stateInvalid({ path: '', what: json.what });
  return json.value;
}

/** The most places that a row of a document has on average in one state; a row mostly has one. */
const placesOfRow = 100;

/**
 * Checks that the rows of a foreign document do not unfold to a state without end: a row may be named many times, and
 * so may each row that names it.
 */
function assertUnfolds(root: Row): void {
  const sizes = new Map<Row, number>();
  const sizeOf = (row: Row): number => {
    const known = sizes.get(row);
    if (known !== undefined) return known;
    const size = row.refs.reduce((sum, ref) => sum + sizeOf(ref), 1);
    sizes.set(row, size);
    return size;
  };
  sizeOf(root);
  const written = [...sizes.keys()].reduce((sum, { refs }) => sum + 1 + refs.length, 0);
  for (const row of root.refs)
    if (sizeOf(row) > placesOfRow * written) throw damagedRow(row.name, 'names other rows far too often');
}
