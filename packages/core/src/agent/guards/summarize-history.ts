import { append, section, withSection } from '../../graph/message-store.ts';
import { type Message, system } from '../../graph/message.ts';
import { changeContext } from '../../graph/agent-state/change.ts';
import { defineHook, type Hook } from '../hook.ts';

export type SummarizeHistoryOptions = {
  /** How much of the conversation stays as it is. */
  maxTokens: number;
  /** How much may wait before it is folded into the summary. Default: a quarter of `maxTokens`. */
  maxBufferTokens?: number;
  /** The new summary, from the old one and the messages that are to go into it. */
  summarize: (input: {
    summary: string;
    messages: readonly Message[];
    signal: AbortSignal;
  }) => string | Promise<string>;
  /** Default: a token for every four characters of the message's JSON. */
  countTokens?: (message: Message) => number;
};

/**
 * Keeps long conversations short: before every step the oldest messages beyond `maxTokens` move to the section
 * `buffer`, and a full buffer is folded into `summary`. A call is never parted from its results.
 */
export function summarizeHistory(options: SummarizeHistoryOptions): Hook {
  const { maxTokens, maxBufferTokens = maxTokens / 4, summarize, countTokens = estimate } = options;
  const total = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + countTokens(message), 0);
  return defineHook({
    name: 'summarize-history',
    on: 'before-step',
    async run(state, ctx) {
      const recent = section(state.context.store);
      const kept = keptFrom(recent, maxTokens, countTokens);
      const moved = withSection(
        append(state.context.store, recent.slice(0, kept), 'buffer'),
        'messages',
        kept === 0 ? recent : recent.slice(kept),
      );
      const buffer = section(moved, 'buffer');
      if (total(buffer) <= maxBufferTokens) return changeContext(state, { store: moved }, ctx.env);
      const [old] = section(moved, 'summary');
      const summary = old?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
      const text = await summarize({ summary, messages: buffer, signal: ctx.signal });
      const store = withSection(withSection(moved, 'summary', [system(text, {}, ctx.env)]), 'buffer', []);
      return changeContext(state, { store }, ctx.env);
    },
  });
}

/** The first message to keep: as many of the last as fit, but never beginning with the results of calls before. */
function keptFrom(
  messages: readonly Message[],
  maxTokens: number,
  countTokens: (message: Message) => number,
): number {
  let tokens = 0;
  let first = messages.length;
  while (first > 0) {
    tokens += countTokens(messages[first - 1] as Message);
    if (tokens > maxTokens) break;
    first--;
  }
  // The last word of the user stays whatever its length, or there would be nothing to answer.
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  if (lastUser >= 0) first = Math.min(first, lastUser);
  while (first > 0 && messages[first]?.role === 'tool') first--;
  return first;
}

function estimate(message: Message): number {
  return Math.ceil(JSON.stringify(message.parts).length / 4);
}
