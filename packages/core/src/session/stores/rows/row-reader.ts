import type { AgentError } from '../../../kit/agent-error.ts';
import { nothing } from '../../../kit/memoize.ts';
import { readJson } from '../../../kit/json.ts';
import * as errors from '../../../kit/errors.ts';
import { blobRows, isLeaf, isTextOf, type Row } from './row.ts';
import { isArchived } from './row-storage.ts';

/** A row with its parsed content. */
export type OpenRow = {
  readonly row: Row;
  readonly groups: readonly (readonly Row[])[];
  readonly body: unknown;
};

/** Reads rows by name, each once, and checks that their text matches their name. */
export type RowReader = {
  /** Opens a row. @throws AgentError `state-invalid` when it is missing or damaged */
  readonly open: (row: Row | string) => OpenRow;
};

export function createRowReader(texts: ReadonlyMap<string, string>): RowReader {
  const known = new Map<string, OpenRow>();

  function row(name: string): Row {
    // Archived rows reference no others and may not have been read.
    return isArchived(name) ? { name, refs: [], text: null } : open(name).row;
  }

  function open(wanted: Row | string): OpenRow {
    const name = typeof wanted === 'string' ? wanted : wanted.name;
    const found = known.get(name);
    if (found !== undefined) return found;
    const text = texts.get(name);
    if (text === undefined) throw damaged(name, 'is missing');
    if (!isTextOf(name, text)) throw damaged(name, 'is damaged');
    const opened = isLeaf(name) ? openLeaf(name, text) : openNode(name, text);
    known.set(name, opened);
    return opened;
  }

  function openNode(name: string, text: string): OpenRow {
    const [names, body] = parseJson(name, text) as [string[][], unknown];
    const groups = names.map((group) => group.map(row));
    return { row: { name, refs: groups.flat(), text: null }, groups, body };
  }

  return { open };
}

function openLeaf(name: string, text: string): OpenRow {
  const body = parseJson(name, text);
  return { row: { name, refs: blobRows(name, text, body), text: null }, groups: nothing, body };
}

export function damaged(name: string, what: string): AgentError {
  return errors.stateInvalid({ path: name, what: `the row ${what}` });
}

function parseJson(name: string, text: string): unknown {
  const json = readJson(text);
  if (!json.ok) throw damaged(name, `cannot be read: ${json.what}`);
  return json.value;
}
