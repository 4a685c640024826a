import type { JsonObject, JsonValue } from '@vitrine/core';
import type { OfflineTurn } from '@vitrine/proxy/offline';
import { argumentsOf, type Call, isObject, outputOf, toolOf } from './turns.ts';

const wantsChart = /\b(?:charts?|draw|plot|graph|show|by|per|over|compare|trend|how many|average)\b/i;

/** Reads the table that the last message mentions, or an earlier message when a chart is asked for. */
export function readTables(turn: OfflineTurn): readonly Call[] {
  if (!toolOf(turn, 'read_table')) return [];
  const { asked, said } = turn;
  const file = fileIn(asked) ?? (wantsChart.test(asked) ? said.map(fileIn).find(Boolean) : null);
  return file ? [{ name: 'read_table', input: { file } }] : [];
}

function fileIn(text: string): string | null {
  const ends = [...text.matchAll(/\.[ct]sv\b/gi)].map(({ index }) => index);
  return ends.map((end) => nameEndingAt(text, end)).findLast((name) => name !== null) ?? null;
}

/** The longest file name, in characters. */
const longestName = 200;

/** The file name that ends at a place: the text between quotation marks, otherwise the letters right before it. */
function nameEndingAt(text: string, end: number): string | null {
  const before = text.slice(Math.max(0, end - longestName), end);
  const ending = text.slice(end, end + 4);
  const quoted = before.slice(before.lastIndexOf('"') + 1);
  const isQuoted = before.includes('"') && text[end + 4] === '"' && quoted !== '' && !quoted.includes('\n');
  if (isQuoted) return quoted + ending;
  let start = before.length;
  while (start > 0 && /[\w-]/.test(before.charAt(start - 1))) start--;
  return start === before.length ? null : before.slice(start) + ending;
}

type Column = { readonly name: string; readonly type: string };

/** Draws the table when a chart was asked for, or when nothing but a table was given. */
export function drawTable(turn: OfflineTurn): readonly Call[] {
  const { news, asked } = turn;
  const tool = toolOf(turn, 'draw_chart');
  const table = news.find(({ toolName, outcome }) => toolName === 'read_table' && outcome === 'completed');
  const output = table && outputOf(table);
  if (!tool || !isObject(output) || !wantsChart.test(asked)) return [];
  const columns = columnsOf(output['columns']);
  const value = findColumn(columns, asked, isNumber) ?? columns.find(isNumber);
  const label =
    findColumn(columns, asked, (column) => column !== value && !isNumber(column)) ?? firstLabel(columns);
  if (value === undefined || label === undefined) return [];
  const wanted: JsonObject = {
    file: output['file'] ?? '',
    kind: label.type === 'date' || /\bline|over|trend\b/i.test(asked) ? 'line' : 'bar',
    label: label.name,
    value: value.name,
    combine: /\baverage|mean\b/i.test(asked)
      ? 'average'
      : /\bhow many|count\b/i.test(asked)
        ? 'count'
        : 'sum',
    title: `${value.name} by ${label.name}`,
  };
  const known = argumentsOf(tool);
  const input = Object.fromEntries(Object.entries(wanted).filter(([name]) => name in known));
  return [{ name: 'draw_chart', input }];
}

function columnsOf(value: JsonValue | undefined): readonly Column[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map(({ name, type }) => ({ name: String(name), type: String(type) }));
}

function isNumber({ type }: Column): boolean {
  return type === 'number';
}

function firstLabel(columns: readonly Column[]): Column | undefined {
  return columns.find((column) => column.type === 'date') ?? columns.find((column) => !isNumber(column));
}

/** The column whose name occurs in the question. */
function findColumn(
  columns: readonly Column[],
  asked: string,
  fits: (column: Column) => boolean,
): Column | undefined {
  const words = asked.toLowerCase();
  return columns.find((column) => fits(column) && words.includes(column.name.toLowerCase()));
}
