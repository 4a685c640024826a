import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import { changeContext } from '../../graph/agent-state/transitions.ts';
import { type Message, system, text as textOf } from '../../graph/message.ts';
import { append, type MessageStore, section, withSection } from '../../graph/message-store.ts';
import type { Usage } from '../../graph/usage.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { callSafely } from '../../kit/listeners.ts';
import { memoize } from '../../kit/memoize.ts';
import { checkedAmount, checkedTimeLimit } from '../check-init.ts';
import { defineHook, type Hook, type HookContext } from '../hook.ts';

/** A summary, alone or with its usage. */
export type Summary = string | { readonly text: string; readonly usage?: Partial<Usage> };

/** Options of `summarizeHistory`. */
export type SummarizeHistoryOptions = {
  /** Tokens of the conversation that stay unchanged. */
  maxTokens: number;
  /** Tokens that may wait before they are folded into the summary. Default: a quarter of `maxTokens`. */
  maxBufferTokens?: number;
  /**
   * Returns the new summary, from the old one and the messages to add. Its `usage` is charged to the current step, and
   * estimated when it is omitted. It is not called when the budgets of the run have no room.
   */
  summarize: (input: {
    summary: string;
    messages: readonly Message[];
    signal: AbortSignal;
  }) => Summary | Promise<Summary>;
  /** The model of the summaries, for their price. Default: the agent's. */
  model?: string | null;
  /** Time limit of a summary in milliseconds. Default: 60,000. */
  timeoutMs?: number;
  /** Counts the tokens of a message; called once for each. Default: a token for every four characters of its JSON. */
  countTokens?: (message: Message) => number;
  /** Called with the error of a failed summary. Default: it is reported like an uncaught error. */
  onError?: (error: unknown) => void;
};

/**
 * Shortens long conversations. Before every step the oldest messages beyond `maxTokens` move to the section `buffer`,
 * and a full buffer is folded into `summary`. A call is never separated from its results. A summary that fails or is
 * empty changes nothing: the messages stay in the buffer, the run continues, and the next step tries again.
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
    keepsSent: true,
    on: 'before-step',
    // The hook measures its own time, because a late summary must not fail the run.
    timeoutMs: Infinity,
    async run(state, ctx) {
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
  { summarize, onError, model = null }: SummarizeHistoryOptions,
  timeoutMs: number,
  ctx: HookContext,
): Promise<MessageStore> {
  const { signal, env } = ctx;
  const summary = section(store, 'summary').map(textOf).join('\n\n');
  const messages = section(store, 'buffer');
  try {
    const answer = await ctx.callModel<Summary>({
      input: { summary, messages: messages.map(({ role, parts }) => ({ role, parts })) },
      model,
      timeoutMs,
      call: () => summarize({ summary, messages, signal }),
      usageOf: (given) => (typeof given === 'string' ? undefined : given?.usage),
    });
    return withSection(
      withSection(store, 'summary', [system(checkedSummary(answer), {}, env)]),
      'buffer',
      [],
    );
  } catch (thrown) {
    // A summary that the budgets have no room for is skipped; the check of the step decides about the run.
    if (isAgentStopError(thrown) && thrown.signal.source?.endsWith('budget')) return store;
    if (signal.aborted || isAgentStopError(thrown)) throw thrown;
    callSafely(() => {
      if (onError === undefined) throw thrown;
      onError(thrown);
    });
    return store;
  }
}

/** Checks a summary. @throws AgentError `hook-contract` for a blank one, which would lose the messages. */
function checkedSummary(summary: unknown): string {
  const { text } = (typeof summary === 'string' ? { text: summary } : (summary ?? {})) as { text?: unknown };
  if (typeof text === 'string' && text.trim() !== '') return text;
  const message = 'summarizeHistory: summarize has to return a text that is not blank.';
  throw new AgentError('hook-contract', message);
}

/** Index of the first message to keep: as many of the last as fit, and never starting with results of earlier calls. */
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
  // The last user message is kept at any length, because there would be nothing to answer without it.
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  if (lastUser >= 0) first = Math.min(first, lastUser);
  while (first > 0 && messages[first]?.role === 'tool') first--;
  return first;
}

function estimate(message: Message): number {
  return Math.ceil(JSON.stringify(message.parts).length / 4);
}
