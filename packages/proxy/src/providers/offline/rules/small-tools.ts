import { callOf, type Conversation } from '../conversation.ts';
import { findExpressions } from '../find-expressions.ts';
import type { ReplyToolCall } from '../reply.ts';

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
