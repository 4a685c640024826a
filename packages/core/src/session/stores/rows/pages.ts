import { node, type Row } from './row.ts';

/** Names in a page: a longer list is several rows, so that what is put behind it is written, and not all of it again. */
const pageSize = 128;

/** A list with the rows that name its rows. */
export type Pages<Item> = { readonly list: readonly Item[]; readonly rows: readonly Row[] };

/** Pages of a list; what it begins with like the one before is taken from there. */
export function pages<Item>(
  list: readonly Item[],
  rowOf: (item: Item) => Row,
  before: Pages<Item> | undefined,
): Pages<Item> {
  if (before?.list === list) return before;
  const shared = before === undefined ? 0 : commonLength(before.list, list);
  if (before !== undefined && shared === list.length && shared === before.list.length)
    return { list, rows: before.rows };
  const rows = (before?.rows ?? []).slice(0, Math.floor(shared / pageSize));
  for (let at = rows.length * pageSize; at < list.length; at += pageSize)
    rows.push(node('pag', [list.slice(at, at + pageSize).map(rowOf)]));
  return { list, rows };
}

/** How many entries two lists begin with in common. */
export function commonLength<Item>(a: readonly Item[], b: readonly Item[]): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  return at;
}
