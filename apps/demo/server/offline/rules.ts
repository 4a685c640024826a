import type { JsonObject } from '@vitrine/core';
import type { OfflineTurn } from '@vitrine/proxy/offline';
import { argumentsOf, type Call, toolOf } from './turns.ts';

function callWhenSaid(pattern: RegExp, tool: string): (turn: OfflineTurn) => readonly Call[] {
  return (turn) => (pattern.test(turn.asked) && toolOf(turn, tool) ? [{ name: tool, input: {} }] : []);
}

export const listNotes = callWhenSaid(/\b(?:my|list|show|the) notes\b/i, 'list_notes');
export const sayTime = callWhenSaid(/\bwhat(?:'s| is) the time\b|\bwhat time\b/i, 'current_time');

export function saveNotes(turn: OfflineTurn): readonly Call[] {
  const isAsked = turn.asked.split('\n').some((line) => {
    const begin = /\b(?:download|save|export)\b/i.exec(line)?.index;
    return begin !== undefined && /\bnotes\b/i.test(line.slice(begin));
  });
  if (!isAsked || !toolOf(turn, 'download_notes')) return [];
  const [, filename = 'notes.md'] = /\bas ([\w-]+\.\w+)/i.exec(turn.asked) ?? [];
  return [{ name: 'download_notes', input: { filename, heading: 'My notes' } }];
}

export function keepNote(turn: OfflineTurn): readonly Call[] {
  const [, text] = /\b(?:remember|note)(?: down)?(?: that)?:?\s+(.+)/is.exec(turn.asked) ?? [];
  if (text === undefined || !toolOf(turn, 'add_note')) return [];
  return [{ name: 'add_note', input: { text: text.trim() } }];
}

export function calculate(turn: OfflineTurn): readonly Call[] {
  if (!toolOf(turn, 'calculator')) return [];
  return findExpressions(turn.asked).map((expression) => ({ name: 'calculator', input: { expression } }));
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
export function delegateTask(turn: OfflineTurn): readonly Call[] {
  const tool = toolOf(turn, 'delegate');
  if (!tool) return [];
  const { agent } = argumentsOf(tool);
  const names = Array.isArray(agent?.['enum']) ? agent['enum'].map(String) : [];
  // With a single agent, questions may be meant for other tools.
  const isQuestion = names.length > 1 && /\?\s*$/.test(turn.asked);
  const task = topicOf(turn.asked) ?? (isQuestion ? turn.asked.trim() : null);
  if (task === null) return [];
  return names.map((agent) => ({ name: 'delegate', input: { agent, task } }));
}

function topicOf(asked: string): string | null {
  const [, topic] = asksForResearch.exec(asked) ?? [];
  return topic?.trim() ?? null;
}

/** Saves the findings of other agents, if a tool stores a text under a title. */
export function saveFindings(turn: OfflineTurn): readonly Call[] {
  const { news, asked, request } = turn;
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
    title: topic.charAt(0).toUpperCase() + topic.slice(1, 80).replace(/[?.! \n\t]+$/, ''),
    text,
    ...Object.fromEntries(choices),
  };
  return [{ name: tool.name, input }];
}
