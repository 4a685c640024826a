import type { JsonObject, JsonValue } from '@vitrine/core';
import { argumentsOf, callOf, type Conversation, isObject } from '../conversation.ts';
import type { ReplyToolCall } from '../reply.ts';

const wantsChart = /\b(?:charts?|draw|plot|graph|show|by|per|over|compare|trend|how many|average)\b/i;

/** Reads the table that is spoken of: in what was said last, or before where a chart is asked for. */
export function readTables(conversation: Conversation): readonly ReplyToolCall[] {
  if (!conversation.tool('read_table')) return [];
  const { asked, said } = conversation;
  const file = fileIn(asked) ?? (wantsChart.test(asked) ? said.map(fileIn).find(Boolean) : null);
  return file ? [callOf(conversation, 'read_table', { file })] : [];
}

function fileIn(text: string): string | null {
  const names = [...text.matchAll(/"([^"\n]+\.[ct]sv)"|([\w-]+\.[ct]sv)\b/gi)];
  const last = names.at(-1);
  return last?.[1] ?? last?.[2] ?? null;
}

type Column = { readonly name: string; readonly type: string };

/** Draws what was read, when that was asked for, or nothing but a table was given. */
export function drawTable(conversation: Conversation): readonly ReplyToolCall[] {
  const { news, asked } = conversation;
  const tool = conversation.tool('draw_chart');
  const table = news.find(({ toolName, outcome }) => toolName === 'read_table' && outcome === 'completed');
  if (!tool || !table || !isObject(table.output) || !wantsChart.test(asked)) return [];
  const columns = columnsOf(table.output['columns']);
  const value = named(columns, asked, isNumber) ?? columns.find(isNumber);
  const label =
    named(columns, asked, (column) => column !== value && !isNumber(column)) ?? firstLabel(columns);
  if (value === undefined || label === undefined) return [];
  const wanted: JsonObject = {
    file: table.output['file'] ?? '',
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
  return [callOf(conversation, 'draw_chart', input)];
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

/** The column whose name stands in what was asked. */
function named(
  columns: readonly Column[],
  asked: string,
  fits: (column: Column) => boolean,
): Column | undefined {
  const words = asked.toLowerCase();
  return columns.find((column) => fits(column) && words.includes(column.name.toLowerCase()));
}
