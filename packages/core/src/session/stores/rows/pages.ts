import { sharedLength } from '../../../kit/grown-list.ts';
import { node, type Row } from './row.ts';
import type { RowReader } from './row-reader.ts';

/** Names in a page: a longer list is several rows, so that what is put behind it is written, and not all of it again. */
const pageSize = 128;

/** A list with the rows that name its rows; where those are many, with pages of pages. */
export type Pages<Item> = {
  readonly list: readonly Item[];
  readonly rows: readonly Row[];
  readonly above: Pages<Row> | null;
};

/** Pages of a list; what it begins with like the one before is taken from there. */
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

/** The few rows that name all of a list. */
export function topOf({ rows, above }: Pages<unknown>): readonly Row[] {
  return above === null ? rows : topOf(above);
}

/** The rows of a list, by the few that name all of it. */
export function openPages(top: readonly Row[], reader: RowReader): Pages<Row> {
  let level: Pages<Row> = { list: below(top, reader), rows: top, above: null };
  while (level.list[0]?.name.startsWith('pag.'))
    level = { list: below(level.list, reader), rows: level.list, above: level };
  return level;
}

function below(rows: readonly Row[], reader: RowReader): readonly Row[] {
  return rows.flatMap((page) => reader.open(page).groups[0] ?? []);
}
