import { sharedLength } from '@vitrine/core/internal/kit/memoize';
import { node, type Row } from './row.ts';
import type { RowReader } from './row-reader.ts';

/** The number of names in a page. A longer list has several rows, so an appended item rewrites only the last one. */
const pageSize = 128;

/** A list with the rows that reference its rows. A long list has pages of pages. */
export type Pages<Item> = {
  readonly list: readonly Item[];
  readonly rows: readonly Row[];
  readonly above: Pages<Row> | null;
};

/** Creates the pages of a list. Pages of the part shared with the list before are reused. */
export function pages<Item>(
  list: readonly Item[],
  rowOf: (item: Item) => Row,
  before: Pages<Item> | null | undefined,
): Pages<Item> {
  if (before?.list === list) return before;
  const shared = before ? sharedLength(before.list, list) : 0;
  if (before && shared === list.length && shared === before.list.length) return { ...before, list };
  const rows = (before?.rows ?? []).slice(0, Math.floor(shared / pageSize));
  for (let at = rows.length * pageSize; at < list.length; at += pageSize)
    rows.push(node('pag', [list.slice(at, at + pageSize).map(rowOf)]));
  return { list, rows, above: rows.length > pageSize ? pages(rows, (row) => row, before?.above) : null };
}

/** The topmost rows, from which the whole list can be read. */
export function topOf({ rows, above }: Pages<unknown>): readonly Row[] {
  return above === null ? rows : topOf(above);
}

/** Reads the rows of a list from its topmost rows. */
export function openPages(top: readonly Row[], reader: RowReader): Pages<Row> {
  let level: Pages<Row> = { list: below(top, reader), rows: top, above: null };
  while (level.list[0]?.name.startsWith('pag.'))
    level = { list: below(level.list, reader), rows: level.list, above: level };
  return level;
}

function below(rows: readonly Row[], reader: RowReader): readonly Row[] {
  return rows.flatMap((page) => reader.open(page).groups[0] ?? []);
}
