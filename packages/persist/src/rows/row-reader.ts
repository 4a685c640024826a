import type { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import { readJson } from '@vitrine/core/internal/kit/json';
import * as errors from '@vitrine/core/internal/kit/errors';
import { blobRows, isLeaf, isTextOf, type Row } from './row.ts';
import { isArchived } from './row-storage.ts';

export type OpenRow = {
  readonly row: Row;
  readonly groups: readonly (readonly Row[])[];
  readonly body: unknown;
};

/** Reads rows by name, each once. */
export type RowReader = {
  /** Opens a row. @throws AgentError `state-invalid` when it is missing or damaged */
  readonly open: (row: Row | string) => OpenRow;
};

type Content = { readonly value: unknown; readonly text: string };

/** The most rows that stand above a row. Each subagent adds three: its state, a page of its steps, and a step. */
const maxRowsAbove = 500;

/** Reads rows from their texts, and checks that each text matches its name. */
export function createRowReader(texts: ReadonlyMap<string, string>): RowReader {
  return readerOf((name) => {
    const text = texts.get(name);
    if (text === undefined) throw damagedRow(name, 'is missing');
    if (!isTextOf(name, text)) throw damagedRow(name, 'is damaged');
    const json = readJson(text);
    if (!json.ok) throw damagedRow(name, `cannot be read: ${json.what}`);
    return { value: json.value, text };
  });
}

/** Reads rows that are JSON already. Their names are only names, so that a person may edit a document. */
export function createValueReader(rows: ReadonlyMap<string, unknown>): RowReader {
  return readerOf((name) => {
    if (!rows.has(name)) throw damagedRow(name, 'is missing');
    return { value: rows.get(name), text: '' };
  });
}

function readerOf(contentOf: (name: string) => Content): RowReader {
  const known = new Map<string, OpenRow>();
  let above = 0;

  function row(name: string): Row {
    // Archived rows reference no others and may not have been read.
    return isArchived(name) ? { name, refs: [], text: null } : open(name).row;
  }

  function open(wanted: Row | string): OpenRow {
    const name = typeof wanted === 'string' ? wanted : wanted.name;
    const found = known.get(name);
    if (found !== undefined) return found;
    const content = contentOf(name);
    // Rows of a foreign document may stand in circles.
    if (above === maxRowsAbove) throw damagedRow(name, `has more than ${maxRowsAbove} rows above it`);
    above++;
    const opened = isLeaf(name) ? openLeaf(name, content) : openNode(name, content);
    above--;
    known.set(name, opened);
    return opened;
  }

  function openNode(name: string, { value }: Content): OpenRow {
    if (!isNode(value)) throw damagedRow(name, 'names no other rows');
    const groups = value[0].map((group) => group.map(row));
    return { row: { name, refs: groups.flat(), text: null }, groups, body: value[1] };
  }

  return { open };
}

function openLeaf(name: string, { value, text }: Content): OpenRow {
  return { row: { name, refs: blobRows(name, text, value), text: null }, groups: nothing, body: value };
}

/** True for the content of a row that references others: groups of names, and a body. */
function isNode(value: unknown): value is readonly [readonly (readonly string[])[], unknown] {
  if (!Array.isArray(value) || value.length !== 2 || !Array.isArray(value[0])) return false;
  return value[0].every(
    (group) => Array.isArray(group) && group.every((name: unknown) => typeof name === 'string'),
  );
}

export function damagedRow(name: string, what: string): AgentError {
  return errors.stateInvalid({ path: name, what: `the row ${what}` });
}
