import { ownJson } from '@vitrine/core/internal/graph/document/document';
import { readJsonAs } from '@vitrine/core/internal/graph/document/shape';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { QueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import type { SessionHead } from '@vitrine/core/internal/session/store/session-store';
import { type HeadRows, queuedMessage } from './head-shape.ts';
import { leaf, type Row } from './row.ts';
import { damagedRow, type RowReader } from './row-reader.ts';

/**
 * The length in characters of JSON above which a draft, queue or outbox is a row of its own, because lists
 * read every head.
 */
const longestInHead = 4096;

/** A head, and the rows that hold its long parts, by name. Their texts are written when they are needed. */
export type HeadParts = {
  readonly summary: SessionHead;
  readonly rows: HeadRows;
  readonly long: ReadonlyMap<string, () => string>;
};

/** Creates a row for a value that is too long for a head; null for a short one. */
export function longRow(value: unknown): Row | null {
  const row = leaf('hed', value);
  return (row.text?.length ?? 0) > longestInHead ? row : null;
}

/** Moves the long parts of a head into rows. */
export function headParts(head: SessionHead): HeadParts {
  const draft = longRow(head.draft);
  const waiting = head.queue.map((message) => ({ ...waitingRow(message), message }));
  const isLong = waiting.reduce((sum, { length }) => sum + length, 0) > longestInHead;
  const queue = isLong ? waiting : [];
  const texts = queue.map(({ name, message }) => [name, () => rowOfMessage(message).text ?? ''] as const);
  return {
    summary: { ...head, ...(draft && { draft: '' }), ...(isLong && { queue: [] }) },
    rows: { ...(draft && { draft: draft.name }), ...(isLong && { queue: queue.map(({ name }) => name) }) },
    long: new Map([...(draft ? [[draft.name, () => draft.text ?? ''] as const] : []), ...texts]),
  };
}

function rowOfMessage(message: QueuedMessage): Row {
  return leaf('hed', ownJson(message));
}

/** The name and the length of the row of a message, so that a message that waits is written once. */
const waitingRow = memoize((message: QueuedMessage) => {
  const { name, text } = rowOfMessage(message);
  return { name, length: text?.length ?? 0 };
});

export function namesIn({ draft, queue = [] }: HeadRows = {}): readonly string[] {
  return [...(draft === undefined ? [] : [draft]), ...queue];
}

/** The rows that a new head adds, and those of the former head to drop. */
export function changedHeadRows(
  before: HeadRows | undefined,
  { rows, long }: Pick<HeadParts, 'rows' | 'long'>,
): { readonly put: ReadonlyMap<string, string>; readonly drop: readonly string[] } {
  const [old, names] = [namesIn(before), namesIn(rows)];
  const come = [...long].filter(([name]) => !old.includes(name));
  return {
    put: new Map(come.map(([name, text]) => [name, text()])),
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
    queue:
      queue?.map((name, at) => readJsonAs(queuedMessage, reader.open(name).body, `queue.${at}`)) ??
      summary.queue,
  };
}

/** The list that a row of a head holds. @throws AgentError `state-invalid` */
export function openLongList(name: string, reader: RowReader): readonly unknown[] {
  const { body } = reader.open(name);
  if (!Array.isArray(body)) throw damagedRow(name, 'holds no list');
  return body;
}

function openDraft(name: string, reader: RowReader): string {
  const { body } = reader.open(name);
  if (typeof body !== 'string') throw damagedRow(name, 'holds no text');
  return body;
}
