import type { Message, MessagePart } from '@vitrine/core/internal/graph/message';
import { hashText } from '@vitrine/core/internal/kit/hash';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { urlOf } from '@vitrine/core/internal/kit/text';
import type { InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import type { LanguageModel } from './language-model.ts';

/** The use of a provider's prompt cache: `off`, or the life of what it keeps. `auto` is five minutes. */
export type PromptCache = 'auto' | 'off' | { readonly ttl: '5m' | '1h' };

type Options = { readonly [provider: string]: JsonObject };

/** The words in which a provider is told what to keep. */
type CacheRow = {
  /** Marks the end of what is kept; `isPrompt` is true for the end of the prompt. Null marks nothing there. */
  readonly border?: (isPrompt: boolean) => Options | null;
  readonly call?: Options;
  readonly headers?: Readonly<Record<string, string>>;
  readonly keepsBlocks?: boolean;
};

type Wish = {
  /** The key of the conversation, by which requests find the server that keeps it; null without one. */
  readonly key: string | null;
  readonly ttl: '5m' | '1h';
  /** True for a single question without tools. */
  readonly isLone: boolean;
};

/** The row of a model; null for a provider that keeps prompts by itself, or not at all. */
function rowOf(model: LanguageModel, { key, ttl, isLone }: Wish): CacheRow | null {
  const { provider, modelId } = model;
  const control = ttl === '1h' ? { type: 'ephemeral', ttl } : { type: 'ephemeral' };
  const byServer = serverRow(model, key, control);
  if (byServer !== null) return byServer;
  if (provider.includes('anthropic'))
    return { border: () => ({ anthropic: { cacheControl: control } }), keepsBlocks: true };
  if (/^(openai|azure)\b.*\.(responses|chat)$/.test(provider)) {
    const keyed = key === null ? {} : { promptCacheKey: key };
    // Later models keep what ends at an explicit breakpoint, and behind the newest message by themselves.
    const hasBreakpoints = /^gpt-(?:5\.[6-9]|5\.\d\d|[6-9])/.test(modelId);
    if (!hasBreakpoints) return key === null ? null : { call: { openai: keyed } };
    const explicit = { openai: { promptCacheBreakpoint: { mode: 'explicit' } } };
    const only = isLone ? { promptCacheOptions: { mode: 'explicit' } } : {};
    return { call: { openai: { ...keyed, ...only } }, border: (isPrompt) => (isPrompt ? explicit : null) };
  }
  return null;
}

/** The row of a server with OpenAI's chat completions, by its host; null for one that is not known. */
function serverRow(model: LanguageModel, key: string | null, control: JsonObject): CacheRow | null {
  const { url } = (model as { readonly config?: { readonly url?: unknown } }).config ?? {};
  const address: unknown = typeof url === 'function' ? url({ path: '', modelId: model.modelId }) : null;
  const host = typeof address === 'string' ? (urlOf(address)?.hostname ?? '') : '';
  const [name = ''] = model.provider.split('.');
  if (/(?:^|\.)openrouter\.ai$/.test(host))
    return { border: () => ({ openaiCompatible: { cache_control: control } }), keepsBlocks: true };
  if (key === null) return null;
  if (/(?:^|\.)mistral\.ai$/.test(host)) return { call: { [name]: { prompt_cache_key: key } } };
  if (/(?:^|\.)x\.ai$/.test(host)) return { headers: { 'x-grok-conv-id': key } };
  return null;
}

/** A request for a provider's prompt cache. */
export type MarkedRequest = {
  readonly messages: readonly Message[];
  readonly call?: Options | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** True when the provider keeps what ends at a mark in the middle of a message. */
  readonly keepsBlocks: boolean;
};

const lifeMs = { '5m': 300_000, '1h': 3_600_000 };
/** The most prompts of single questions that a client remembers. */
const mostPrompts = 100;

/** Creates the function that marks the borders of a model's requests in the words of its provider. */
export function createCacheMarks(
  model: LanguageModel,
): (request: InferenceRequest, use: PromptCache) => MarkedRequest {
  const asked = new Map<string, number>();

  /** Notes a prompt. @returns true when another request had it within the life of what is kept */
  function notePrompt(prompt: readonly Message[], ttl: Wish['ttl']): boolean {
    const hash = hashText(JSON.stringify(prompt.map(({ parts }) => parts)));
    const before = asked.get(hash);
    asked.delete(hash);
    const now = Date.now();
    asked.set(hash, now);
    const [oldest = ''] = asked.keys();
    if (asked.size > mostPrompts) asked.delete(oldest);
    return before !== undefined && now - before < lifeMs[ttl];
  }

  return (request, use) => {
    const { messages, cache, tools } = request;
    const plain = { messages, keepsBlocks: false };
    if (use === 'off' || cache === undefined) return plain;
    const ttl = use === 'auto' ? '5m' : use.ttl;
    const isLone = tools.length === 0 && !messages.some(({ role }) => role === 'assistant');
    const row = rowOf(model, { key: cache.key, ttl, isLone });
    if (row === null) return plain;
    const { border = () => null, call, headers, keepsBlocks = false } = row;
    // Nothing follows most single questions, and what a cache keeps costs a quarter more.
    const prompt = messages.filter(({ role }) => role === 'system');
    const isMarked = !isLone || notePrompt(prompt, ttl);
    const marked = [...messages];
    for (const { message: at, part } of isMarked ? cache.borders : []) {
      const message = marked[at];
      const mark = message === undefined ? null : border(message.role === 'system');
      if (message !== undefined && mark !== null) marked[at] = withMark(message, part ?? Infinity, mark);
    }
    return { messages: marked, call, headers, keepsBlocks };
  };
}

/** True for a provider, or a server in its place, that does not know the marks. */
export function refusesCache(error: unknown): boolean {
  const { statusCode, responseBody } = error as { statusCode?: unknown; responseBody?: unknown };
  return (
    (statusCode === 400 || statusCode === 422) && /cache_control|prompt_cache/.test(String(responseBody))
  );
}

/** The message with a mark on its last part that may have one, at most the given one. */
function withMark(message: Message, last: number, mark: Options): Message {
  const at = message.parts.findLastIndex((part, index) => index <= last && mayHaveMark(part));
  return {
    ...message,
    parts: message.parts.map((part, index) =>
      index === at ? ({ ...part, providerMetadata: withOptions(part, mark) } as MessagePart) : part,
    ),
  };
}

/** Providers refuse marks on thoughts and on blank texts. */
function mayHaveMark(part: MessagePart): boolean {
  if (part.type === 'text') return part.text.trim() !== '';
  return part.type === 'tool-call' || part.type === 'tool-result' || part.type === 'file';
}

function withOptions(part: MessagePart, mark: Options): JsonObject {
  const own = 'providerMetadata' in part ? (part.providerMetadata ?? {}) : {};
  const merged = Object.entries(mark).map(([name, fields]) => [
    name,
    { ...(own[name] as JsonObject), ...fields },
  ]);
  return { ...own, ...Object.fromEntries(merged) };
}
