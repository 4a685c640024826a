import type { InferenceRequest } from '@vitrine/core';
import { argumentsOf, createCall, type Conversation, type ReplyToolCall } from './conversation.ts';
import { inputFor } from './input-for.ts';
import { contentWords } from './words.ts';

/** Tools of the demo, which rules of their own call. */
const known: readonly string[] = [
  'add_note',
  'calculator',
  'current_time',
  'delegate',
  'download_notes',
  'draw_chart',
  'list_notes',
  'read_table',
];
/** The tools that no rule of its own calls: by their words alone. */
export function otherTools(tools: InferenceRequest['tools']): InferenceRequest['tools'] {
  return tools.filter((tool) => !known.includes(tool.name) && !('query' in argumentsOf(tool)));
}

/** The offline model's own abilities, which need no tool. */
const own = /\bsimulate an? (?:permanent )?error\b|\bmarkdown\b|\blong\b/i;

/** Calls the tool whose name or description shares most words with the message. A word of a name counts three times. */
export function callNamed(conversation: Conversation): readonly ReplyToolCall[] {
  const { asked, request } = conversation;
  if (request.toolChoice === 'none' || own.test(asked)) return [];
  const words = contentWords(asked);
  const scored = otherTools(request.tools).map((tool) => ({ tool, score: scoreOf(tool, words) }));
  const best = scored.reduce<(typeof scored)[number] | null>(
    (first, one) => (one.score > (first?.score ?? 0) ? one : first),
    null,
  );
  if (best === null) return [];
  const named = words.filter((word) => isShared(word, contentWords(best.tool.name)));
  return [createCall(conversation, best.tool.name, inputFor(best.tool.inputSchema, asked, named))];
}

function scoreOf({ name, description }: InferenceRequest['tools'][number], words: readonly string[]): number {
  const [names, described] = [contentWords(name), contentWords(description)];
  return words.reduce(
    (sum, word) => sum + (isShared(word, names) ? 3 : isShared(word, described) ? 1 : 0),
    0,
  );
}

function isShared(word: string, words: readonly string[]): boolean {
  return words.some((other) => isSame(word, other));
}

/** True for a word and a form of it: order and orders, refund and refunded. */
function isSame(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short === long || (short.length > 2 && long.length - short.length < 4 && long.startsWith(short));
}
