import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../../kit/is-object.ts';
import { argumentsOf, createCall, type Conversation, type ReplyToolCall } from './conversation.ts';
import { withoutEnd } from '@vitrine/core/internal/kit/text';
import { contentWords } from './words.ts';

const wantsChart = /\b(?:charts?|draw|plot|graph|show|by|per|over|compare|trend|how many|average)\b/i;

/** Reads the table that the last message mentions, or an earlier message when a chart is asked for. */
export function readTables(conversation: Conversation): readonly ReplyToolCall[] {
  if (!conversation.tool('read_table')) return [];
  const { asked, said } = conversation;
  const file = fileIn(asked) ?? (wantsChart.test(asked) ? said.map(fileIn).find(Boolean) : null);
  return file ? [createCall(conversation, 'read_table', { file })] : [];
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
export function drawTable(conversation: Conversation): readonly ReplyToolCall[] {
  const { news, asked } = conversation;
  const tool = conversation.tool('draw_chart');
  const table = news.find(({ toolName, outcome }) => toolName === 'read_table' && outcome === 'completed');
  if (!tool || !table || !isObject(table.output) || !wantsChart.test(asked)) return [];
  const columns = columnsOf(table.output['columns']);
  const value = findColumn(columns, asked, isNumber) ?? columns.find(isNumber);
  const label =
    findColumn(columns, asked, (column) => column !== value && !isNumber(column)) ?? firstLabel(columns);
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
  return [createCall(conversation, 'draw_chart', input)];
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

function callWhenSaid(
  pattern: RegExp,
  tool: string,
): (conversation: Conversation) => readonly ReplyToolCall[] {
  return (conversation) =>
    pattern.test(conversation.asked) && conversation.tool(tool) ? [createCall(conversation, tool, {})] : [];
}

export const listNotes = callWhenSaid(/\b(?:my|list|show|the) notes\b/i, 'list_notes');
export const sayTime = callWhenSaid(/\bwhat(?:'s| is) the time\b|\bwhat time\b/i, 'current_time');

export function saveNotes(conversation: Conversation): readonly ReplyToolCall[] {
  const isAsked = conversation.asked.split('\n').some((line) => {
    const begin = /\b(?:download|save|export)\b/i.exec(line)?.index;
    return begin !== undefined && /\bnotes\b/i.test(line.slice(begin));
  });
  if (!isAsked || !conversation.tool('download_notes')) return [];
  const [, filename = 'notes.md'] = /\bas ([\w-]+\.\w+)/i.exec(conversation.asked) ?? [];
  return [createCall(conversation, 'download_notes', { filename, heading: 'My notes' })];
}

export function keepNote(conversation: Conversation): readonly ReplyToolCall[] {
  const [, text] = /\b(?:remember|note)(?: down)?(?: that)?:?\s+(.+)/is.exec(conversation.asked) ?? [];
  if (text === undefined || !conversation.tool('add_note')) return [];
  return [createCall(conversation, 'add_note', { text: text.trim() })];
}

export function calculate(conversation: Conversation): readonly ReplyToolCall[] {
  if (!conversation.tool('calculator')) return [];
  return findExpressions(conversation.asked).map((expression, index) =>
    createCall(conversation, 'calculator', { expression }, index),
  );
}

/** Arithmetic in a text: `What is 12 * (3 + 4) and 5/2?` holds two expressions. */
function findExpressions(text: string): string[] {
  const runs = text.match(/[\d\s.()+*/^×÷−-]+/g) ?? [];
  return runs
    .flatMap(expressionIn)
    .map((candidate) => candidate.replaceAll('×', '*').replaceAll('÷', '/').replaceAll('−', '-').trim())
    .filter((candidate) => /\d\s*[+*/^-]\s*[\d(]/.test(candidate) || /\)\s*[+*/^-]/.test(candidate))
    .filter(isBalanced);
}

/** The text from the first number or parenthesis of a run to the last one. */
function expressionIn(run: string): string[] {
  const start = run.search(/[\d(]/);
  let end = run.length;
  while (end > 0 && !/[\d)]/.test(run.charAt(end - 1))) end--;
  return start >= 0 && end - start > 1 ? [run.slice(start, end)] : [];
}

function isBalanced(expression: string): boolean {
  let depth = 0;
  for (const character of expression) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
}

const asksForResearch = /\b(?:research|look into|find out(?: about)?|report on)\s+(.+)/is;

/** Delegates a task to every agent at once. */
export function delegateTask(conversation: Conversation): readonly ReplyToolCall[] {
  const tool = conversation.tool('delegate');
  if (!tool) return [];
  const { agent } = argumentsOf(tool);
  const names = Array.isArray(agent?.['enum']) ? agent['enum'].map(String) : [];
  // With a single agent, questions may be meant for other tools.
  const isQuestion = names.length > 1 && /\?\s*$/.test(conversation.asked);
  const task = topicOf(conversation.asked) ?? (isQuestion ? conversation.asked.trim() : null);
  if (task === null) return [];
  return names.map((name, index) => createCall(conversation, 'delegate', { agent: name, task }, index));
}

function topicOf(asked: string): string | null {
  const [, topic] = asksForResearch.exec(asked) ?? [];
  return topic?.trim() ?? null;
}

/** Calls the tool that takes a query. */
export function searchFirst(conversation: Conversation): readonly ReplyToolCall[] {
  const tool = conversation.request.tools.find((one) => 'query' in argumentsOf(one));
  const query = contentWords(conversation.asked).slice(0, 6).join(' ');
  return tool && query !== '' ? [createCall(conversation, tool.name, { query })] : [];
}

/** Saves the findings of other agents, if a tool stores a text under a title. */
export function saveFindings(conversation: Conversation): readonly ReplyToolCall[] {
  const { news, asked, request } = conversation;
  const found = news.filter(({ toolName, outcome }) => toolName === 'delegate' && outcome === 'completed');
  const tool = request.tools.find((one) => 'title' in argumentsOf(one) && 'text' in argumentsOf(one));
  if (!tool || found.length === 0) return [];
  const topic = topicOf(asked) ?? asked;
  const texts = found.map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)));
  // Two agents may have found the same line.
  const text = [...new Set(texts.join('\n').split('\n'))].join('\n');
  const choices = Object.entries(argumentsOf(tool)).flatMap(([name, { enum: values }]): [string, string][] =>
    Array.isArray(values) ? [[name, String(values[0])]] : [],
  );
  const input: JsonObject = {
    title: topic.charAt(0).toUpperCase() + withoutEnd(topic.slice(1, 80), '?.! \n\t'),
    text,
    ...Object.fromEntries(choices),
  };
  return [createCall(conversation, tool.name, input)];
}
