import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import { changeContext } from '../../graph/agent-state/change.ts';
import { type Message, system, text as textOf } from '../../graph/message.ts';
import { append, type MessageStore, section, withSection } from '../../graph/message-store.ts';
import { normalizeUsage } from '../../graph/normalize-usage.ts';
import type { AgentState } from '../../graph/types.ts';
import { add, isNone, type Usage } from '../../graph/usage.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { guarded } from '../../kit/guarded.ts';
import type { JsonObject, JsonValue } from '../../kit/json.ts';
import { callSafely } from '../../kit/listeners.ts';
import { memoize } from '../../kit/memoize.ts';
import { checkedAmount, checkedTimeLimit } from '../check-init.ts';
import { defineHook, type Hook, type HookContext } from '../hook.ts';

/** A summary, alone or with what it cost. */
export type Summary = string | { readonly text: string; readonly usage?: Partial<Usage> };

/** What `summarizeHistory` takes. */
export type SummarizeHistoryOptions = {
  /** How much of the conversation stays as it is. */
  maxTokens: number;
  /** How much may wait before it is folded into the summary. Default: a quarter of `maxTokens`. */
  maxBufferTokens?: number;
  /**
   * The new summary, from the old one and the messages that are to go into it. `usage` counts as used by the step that
   * the summary was made for.
   */
  summarize: (input: {
    summary: string;
    messages: readonly Message[];
    signal: AbortSignal;
  }) => Summary | Promise<Summary>;
  /** Milliseconds that a summary may take. Default: 60,000. */
  timeoutMs?: number;
  /** Asked once for every message. Default: a token for every four characters of the message's JSON. */
  countTokens?: (message: Message) => number;
  /** Hears of a summary that failed. Default: it is reported like an uncaught error, where the platform can. */
  onError?: (error: unknown) => void;
};

/** In the metadata of a summary: what it cost, until a step has been charged with it. */
const unchargedKey = 'uncharged_usage';

/**
 * Keeps long conversations short: before every step the oldest messages beyond `maxTokens` move to the section
 * `buffer`, and a full buffer is folded into `summary`. A call is never parted from its results. A summary that fails
 * or is empty changes nothing: the messages stay in the buffer, the run goes on, and the next step tries again.
 * @throws AgentError `agent-invalid` for limits that are no amounts
 */
export function summarizeHistory(options: SummarizeHistoryOptions): Hook {
  const { maxTokens, countTokens = estimate } = options;
  checkedAmount(maxTokens, 'summarizeHistory: maxTokens');
  const most = checkedAmount(options.maxBufferTokens ?? maxTokens / 4, 'summarizeHistory: maxBufferTokens');
  const timeoutMs = checkedTimeLimit(options.timeoutMs, 'summarizeHistory: timeoutMs') ?? 60_000;
  const count = memoize(countTokens);
  return defineHook({
    name: 'summarize-history',
    on: ['before-step', 'after-inference'],
    // It keeps its own time, because a summary that is late is no reason to fail.
    timeoutMs: Infinity,
    async run(state, ctx) {
      if (ctx.point === 'after-inference') return charged(state, ctx);
      const store = withOldMoved(state.context.store, maxTokens, count);
      const tokens = section(store, 'buffer').reduce((sum, message) => sum + count(message), 0);
      const folded = tokens <= most ? store : await withBufferFolded(store, options, timeoutMs, ctx);
      return changeContext(state, { store: folded }, ctx.env);
    },
  });
}

function withOldMoved(
  store: MessageStore,
  maxTokens: number,
  count: (message: Message) => number,
): MessageStore {
  const recent = section(store);
  const first = keptFrom(recent, maxTokens, count);
  if (first === 0) return store;
  return withSection(append(store, recent.slice(0, first), 'buffer'), 'messages', recent.slice(first));
}

async function withBufferFolded(
  store: MessageStore,
  { summarize, onError }: SummarizeHistoryOptions,
  timeoutMs: number,
  ctx: HookContext,
): Promise<MessageStore> {
  const { signal, env } = ctx;
  const old = section(store, 'summary');
  const input = { summary: old.map(textOf).join('\n\n'), messages: section(store, 'buffer'), signal };
  try {
    const guard = { author: 'summarize of summarizeHistory', signal, timeoutMs, schedule: env.schedule };
    const { text, usage } = checkedSummary(await guarded(guard, () => summarize(input)));
    const cost = old.map(({ metadata }) => metadata[unchargedKey]).reduce(addUsage, usage);
    const metadata: JsonObject = cost === null ? {} : { [unchargedKey]: cost };
    return withSection(withSection(store, 'summary', [system(text, { metadata }, env)]), 'buffer', []);
  } catch (thrown) {
    if (signal.aborted || isAgentStopError(thrown)) throw thrown;
    callSafely(() => {
      if (onError === undefined) throw thrown;
      onError(thrown);
    });
    return store;
  }
}

/** @throws AgentError `hook-contract` for what is no summary: the messages would be gone for nothing. */
function checkedSummary(summary: unknown): { text: string; usage: JsonValue | null } {
  const { text, usage } = (typeof summary === 'string' ? { text: summary } : (summary ?? {})) as {
    text?: unknown;
    usage?: unknown;
  };
  if (typeof text === 'string' && text.trim() !== '')
    return { text, usage: usage === undefined ? null : normalizeUsage(usage) };
  throw new AgentError(
    'hook-contract',
    'summarizeHistory: summarize has to return a text that is not blank.',
  );
}

function addUsage(sum: JsonValue | null, uncharged: JsonValue | undefined): JsonValue | null {
  if (uncharged === undefined) return sum;
  return sum === null ? uncharged : add(normalizeUsage(sum), normalizeUsage(uncharged));
}

/** Puts what summaries have cost on the bill of the step whose answer has come. */
function charged(state: AgentState, { fields, replace, env }: HookContext): AgentState {
  const { store } = state.context;
  const cost = section(store, 'summary')
    .map(({ metadata }) => metadata[unchargedKey])
    .reduce(addUsage, null);
  const { response } = fields;
  if (cost === null || response === undefined) return state;
  const usage = normalizeUsage(cost);
  if (!isNone(usage)) replace('response', { ...response, usage: add(response.usage, usage) });
  const paid = section(store, 'summary').map((message) => {
    const { [unchargedKey]: _paid, ...metadata } = message.metadata;
    return { ...message, metadata };
  });
  return changeContext(state, { store: withSection(store, 'summary', paid) }, env);
}

/** The first message to keep: as many of the last as fit, but never beginning with the results of calls before. */
function keptFrom(
  messages: readonly Message[],
  maxTokens: number,
  count: (message: Message) => number,
): number {
  let tokens = 0;
  let first = messages.length;
  while (first > 0) {
    tokens += count(messages[first - 1] as Message);
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
