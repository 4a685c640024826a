import { callOf, type Conversation, type ReplyToolCall } from '../conversation.ts';

export function listNotes(conversation: Conversation): readonly ReplyToolCall[] {
  const isAsked = /\b(?:my|list|show|the) notes\b/i.test(conversation.asked);
  return isAsked && conversation.tool('list_notes') ? [callOf(conversation, 'list_notes', {})] : [];
}

export function saveNotes(conversation: Conversation): readonly ReplyToolCall[] {
  const isAsked = conversation.asked.split('\n').some((line) => {
    const begin = /\b(?:download|save|export)\b/i.exec(line)?.index;
    return begin !== undefined && /\bnotes\b/i.test(line.slice(begin));
  });
  if (!isAsked || !conversation.tool('download_notes')) return [];
  const [, filename = 'notes.md'] = /\bas ([\w-]+\.\w+)/i.exec(conversation.asked) ?? [];
  return [callOf(conversation, 'download_notes', { filename, heading: 'My notes' })];
}

export function keepNote(conversation: Conversation): readonly ReplyToolCall[] {
  const [, text] = /\b(?:remember|note)(?: down)?(?: that)?:?\s+(.+)/is.exec(conversation.asked) ?? [];
  if (text === undefined || !conversation.tool('add_note')) return [];
  return [callOf(conversation, 'add_note', { text: text.trim() })];
}

export function calculate(conversation: Conversation): readonly ReplyToolCall[] {
  if (!conversation.tool('calculator')) return [];
  return findExpressions(conversation.asked).map((expression, index) =>
    callOf(conversation, 'calculator', { expression }, index),
  );
}

export function sayTime(conversation: Conversation): readonly ReplyToolCall[] {
  const isAsked = /\bwhat(?:'s| is) the time\b|\bwhat time\b/i.test(conversation.asked);
  return isAsked && conversation.tool('current_time') ? [callOf(conversation, 'current_time', {})] : [];
}

/** Arithmetic in a text: `What is 12 * (3 + 4) and 5/2?` holds two expressions. */
function findExpressions(text: string): string[] {
  const runs = text.match(/[\d\s.()+*/^×÷−-]+/g) ?? [];
  return runs
    .flatMap(expressionIn)
    .map((candidate) => normalize(candidate).trim())
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

function normalize(expression: string): string {
  return expression.replaceAll('×', '*').replaceAll('÷', '/').replaceAll('−', '-');
}

function isBalanced(expression: string): boolean {
  let depth = 0;
  for (const character of expression) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
