import { numberIn, type Table } from './table.ts';

/** One bar, or one point of a line. */
export type Point = { readonly label: string; readonly value: number };

/** A query on a table. */
export type Question = {
  readonly label: string;
  readonly value: string;
  readonly combine: 'sum' | 'average' | 'count';
};

/**
 * Groups one column by another: rows with the same label are combined. Dates are sorted, other labels keep
 * the order of the table.
 * @throws Error that lists the columns when one of them does not exist.
 */
export function pointsOf(table: Table, question: Question): readonly Point[] {
  const labelAt = placeOf(table, question.label);
  const valueAt = placeOf(table, question.value);
  const groups = new Map<string, number[]>();
  for (const row of table.rows) {
    const label = row[labelAt]?.trim() ?? '';
    const value = question.combine === 'count' ? 1 : numberIn(row[valueAt] ?? '');
    if (value === null) continue;
    const values = groups.get(label) ?? [];
    values.push(value);
    groups.set(label, values);
  }
  const points = [...groups].map(([label, values]) => ({
    label,
    value: combineValues(values, question.combine),
  }));
  const isDate = table.columns[labelAt]?.type === 'date';
  return isDate ? points.sort((a, b) => a.label.localeCompare(b.label)) : points;
}

function combineValues(values: readonly number[], combine: Question['combine']): number {
  const sum = values.reduce((total, value) => total + value, 0);
  // Rounded, because sums of decimals show errors of binary fractions.
  return Number((combine === 'average' ? sum / values.length : sum).toPrecision(12));
}

function placeOf({ columns }: Table, name: string): number {
  const at = columns.findIndex((column) => column.name.toLowerCase() === name.trim().toLowerCase());
  if (at >= 0) return at;
  const names = columns.map((column) => JSON.stringify(column.name)).join(', ');
  throw new Error(`There is no column ${JSON.stringify(name)}; there are ${names}.`);
}
