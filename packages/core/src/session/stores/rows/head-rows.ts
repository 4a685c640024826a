import { ownJson } from '../../../graph/document/document.ts';
import type { QueuedMessage } from '../queued-message.ts';
import type { SessionHead } from '../session-store.ts';
import { leaf, type Row } from './row.ts';
import { damaged, type RowReader } from './row-reader.ts';

/**
 * The length in characters of JSON above which a draft, queue or outbox is a row of its own, because lists
 * read every head.
 */
const longestInHead = 4096;

/** The names of the rows with the long parts of a head. The head itself is empty for such a part. */
export type HeadRows = { readonly draft?: string; readonly queue?: string };

/** A head, and the rows that hold its long parts. */
export type HeadParts = {
  readonly summary: SessionHead;
  readonly rows: HeadRows;
  readonly long: readonly Row[];
};

/** Creates a row for a value that is too long for a head; null for a short one. */
export function longRow(value: unknown): Row | null {
  const row = leaf('hed', value);
  return (row.text?.length ?? 0) > longestInHead ? row : null;
}

/** Moves the long parts of a head into rows. */
export function headParts(head: SessionHead): HeadParts {
  const draft = longRow(head.draft);
  const queue = longRow(ownJson(head.queue));
  return {
    summary: { ...head, ...(draft && { draft: '' }), ...(queue && { queue: [] }) },
    rows: { ...(draft && { draft: draft.name }), ...(queue && { queue: queue.name }) },
    long: [draft, queue].filter((row) => row !== null),
  };
}

/** The rows that a new head adds, and those of the former head to drop. */
export function changedHeadRows(
  before: HeadRows | undefined,
  { rows, long }: Pick<HeadParts, 'rows' | 'long'>,
): { readonly put: ReadonlyMap<string, string>; readonly drop: readonly string[] } {
  const [old, names] = [Object.values(before ?? {}), Object.values(rows)];
  const come = long.filter(({ name }) => !old.includes(name));
  return {
    put: new Map(come.map(({ name, text }) => [name, text ?? ''])),
    drop: old.filter((name) => !names.includes(name)),
  };
}

/**
 * Returns the draft and the queue of a head, read from their rows where they are long.
 * @throws AgentError `state-invalid` for a row that is missing or damaged.
 */
export function openHeadRows(
  summary: SessionHead,
  { draft, queue }: HeadRows,
  reader: RowReader,
): Pick<SessionHead, 'draft' | 'queue'> {
  return {
    draft: draft === undefined ? summary.draft : openDraft(draft, reader),
    queue: queue === undefined ? summary.queue : (openLongList(queue, reader) as readonly QueuedMessage[]),
  };
}

/** The list that a row of a head holds. @throws AgentError `state-invalid` */
export function openLongList(name: string, reader: RowReader): readonly unknown[] {
  const { body } = reader.open(name);
  if (!Array.isArray(body)) throw damaged(name, 'holds no list');
  return body;
}

function openDraft(name: string, reader: RowReader): string {
  const { body } = reader.open(name);
  if (typeof body !== 'string') throw damaged(name, 'holds no text');
  return body;
}
