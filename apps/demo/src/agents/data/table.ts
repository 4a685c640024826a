import Papa from 'papaparse';

/** A column. Its type is `number` or `date` if all its cells have it, otherwise `text`. */
export type Column = { readonly name: string; readonly type: 'number' | 'date' | 'text' };

/** A table; the cells of each row are in the order of the columns, as written. */
export type Table = { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] };

const mostRows = 50_000;

/**
 * Parses text with values separated by commas, semicolons or tabs, and names in the first row.
 * @throws Error that says what is wrong with the text.
 */
export function parseTable(text: string): Table {
  const { data } = Papa.parse<string[]>(text.trim(), { skipEmptyLines: 'greedy', preview: mostRows + 2 });
  const [names = [], ...rows] = data;
  if (names.length < 2) throw new Error('The file is no table: one row of names, with commas between them.');
  if (rows.length === 0) throw new Error('The table has no rows below its names.');
  if (rows.length > mostRows) throw new Error(`The table is too long: ${mostRows} rows are read at most.`);
  const columns = names.map((name, at) => ({
    name: name.trim() || `column ${at + 1}`,
    type: typeOf(rows.map((row) => row[at] ?? '')),
  }));
  return { columns, rows };
}

/** The number in a cell; null when there is none. */
export function numberIn(cell: string): number | null {
  const plain = cell.trim().replaceAll(/(?<=\d)[ ,](?=\d{3}(?:\D|$))/g, '');
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?%?$/i.test(plain)) return null;
  return Number(plain.replace('%', ''));
}

function typeOf(cells: readonly string[]): Column['type'] {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return 'text';
  if (filled.every((cell) => /^\d{4}-\d{2}(?:-\d{2})?(?:[T ].*)?$/.test(cell.trim()))) return 'date';
  return filled.every((cell) => numberIn(cell) !== null) ? 'number' : 'text';
}
