import type { JsonObject, Usage } from '@vitrine/core';
import type { FinishReason } from '@vitrine/core/types';
import type { ToolChoice } from '@vitrine/core/internal/graph/types';
import { contentHash } from '@vitrine/core/internal/kit/hash';
import { jsonKey } from '@vitrine/core/internal/kit/json';
import {
  type Foreign,
  foreign,
  jsonOf,
  listOf,
  parsedJson,
  textOf,
  usageFrom,
} from '@vitrine/inspect/internal/foreign/foreign-values';

// The form of requests and answers that all APIs are read into. Everything is read leniently: what is not understood is
// left out.

/** A message as it goes over the wire. */
export type WireMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly WireCall[];
  /** The call that a result answers; null for other messages, and where the API has no ids. */
  readonly callId: string | null;
  /** True for a result that is marked as an error. */
  readonly isError: boolean;
  /** The files in it, each as its kind and a hash. */
  readonly files: readonly string[];
};

export type WireCall = {
  /** Null where the API has no ids. */
  readonly id: string | null;
  readonly name: string;
  /** JSON of the arguments: with sorted keys in a message, as it came in an answer. No JSON when the model wrote none. */
  readonly args: string;
};

/** A request for an answer of a model. */
export type WireRequest = {
  readonly api: string;
  readonly model: string | null;
  readonly system: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly JsonObject[];
  readonly toolChoice: unknown;
  /** The answer or the conversation at the provider that it goes on from; its messages are only the new ones. */
  readonly previous: string | null;
  readonly conversation: string | null;
  readonly settings: Foreign;
};

/** A part of an answer. */
export type WirePart =
  { readonly type: 'text' | 'reasoning'; readonly text: string } | ({ readonly type: 'call' } & WireCall);

/** An answer, as far as it came. */
export type WireAnswer = {
  readonly model: string | null;
  readonly parts: readonly WirePart[];
  /** Null when the answer broke off. */
  readonly finish: FinishReason | null;
  readonly usage: Usage | null;
  readonly error: string | null;
  /** The ids of the answer and its conversation at the provider, by which later requests may name them. */
  readonly ids: readonly string[];
  /** Its items that later requests may name by their ids. */
  readonly items: WireItems;
};

/** Items of answers by their ids. */
export type WireItems = ReadonlyMap<string, WireMessage | null>;

/** An API of model providers. */
export type WireApi = {
  readonly name: string;
  /** The ends of its paths. */
  readonly paths: readonly string[];
  readonly request: (body: Foreign, path: string, items: WireItems) => WireRequest;
  /** Reads the events of a stream, or a whole body as the only one. */
  readonly answer: (events: readonly Foreign[]) => WireAnswer;
};

/** An answer of which nothing came. */
export const noAnswer: WireAnswer = {
  model: null,
  parts: [],
  finish: null,
  usage: null,
  error: null,
  ids: [],
  items: new Map(),
};

export function wireMessage(
  role: WireMessage['role'],
  text: string,
  rest: Partial<Omit<WireMessage, 'role' | 'text'>> = {},
): WireMessage {
  return { role, text, calls: [], callId: null, isError: false, files: [], ...rest };
}

/** The message that an answer becomes in later requests. */
export function assistantMessage(parts: readonly WirePart[]): WireMessage {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = parts.flatMap((part) => {
    if (part.type !== 'call') return [];
    const { id, name, args } = part;
    const value = parsedJson(args);
    return [
      { id, name, args: (typeof value === 'object' && value !== null ? jsonKey(value) : null) ?? args },
    ];
  });
  return wireMessage('assistant', text, { calls });
}

/** A text as a part; none for an empty one. */
export function textPart(type: 'text' | 'reasoning', text: unknown): readonly WirePart[] {
  return typeof text === 'string' && text !== '' ? [{ type, text }] : [];
}

/** A call as a part; `args` is the JSON of its arguments, or their value. */
export function callPart(id: unknown, name: unknown, args: unknown): WirePart {
  return { type: 'call', id: textOf(id), name: asText(name), args: asText(args ?? {}) };
}

/** A tool as it is offered to the model. */
export function wireTool(name: unknown, description: unknown, inputSchema: unknown): JsonObject {
  return { name: asText(name), description: asText(description), inputSchema: jsonOf(inputSchema ?? {}) };
}

/** A text; JSON of other values, nothing for an absent one. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}

/** The text of a content, which is a text or a list of parts. */
export function textIn(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => {
      const { text, refusal } = foreign(part);
      return [part, text, refusal].find((one) => typeof one === 'string') ?? '';
    })
    .join('');
}

/** The files among the parts of a content. */
export function filesIn(content: unknown): readonly string[] {
  return listOf(content).flatMap((part) => {
    const kind = ['inlineData', 'fileData'].find((name) => name in part) ?? asText(part['type']);
    const isFile = /image|file|audio|document|Data|video/.test(kind);
    return isFile ? [`${kind} ${contentHash(JSON.stringify(part))}`] : [];
  });
}

/** The last value that is not absent. */
export function lastOf(values: readonly unknown[]): unknown {
  return values.findLast((value) => value !== undefined && value !== null);
}

/** The ids among some values, each once. */
export function idsIn(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.flatMap((value) => textOf(value) ?? []))];
}

/** The message of the first error among bodies; null for none. */
export function errorIn(bodies: readonly Foreign[]): string | null {
  const error = bodies.map((body) => body['error']).find((one) => one !== undefined && one !== null);
  return error === undefined ? null : asText(foreign(error)['message'] ?? error);
}

/** A usage in our words: each count is the sum of the fields at some paths. */
export function usageIn(
  given: unknown,
  paths: { readonly [Field in keyof Usage]?: readonly string[] },
): Usage | null {
  const counts = Object.entries(paths).map(([name, places]) => {
    const found = places
      .map((place) => place.split('.').reduce((value, key) => foreign(value)[key], given))
      .filter((count) => typeof count === 'number');
    return [name, found.length === 0 ? undefined : found.reduce((sum, count) => sum + count, 0)];
  });
  return usageFrom(Object.fromEntries(counts) as Parameters<typeof usageFrom>[0]);
}

const reasons: readonly (readonly [reason: FinishReason, words: RegExp])[] = [
  ['tool-calls', /tool|function/],
  ['length', /length|max_tokens|max_output_tokens|context_window/],
  ['content-filter', /filter|refusal|safety|prohibited|blocklist|recitation/],
  ['stop', /stop|end_turn|completed|pause_turn/],
];

/** Our word for the finish reason of a provider; null for none. */
export function finishIn(given: unknown): FinishReason | null {
  const reason = textOf(given)?.toLowerCase();
  if (reason === undefined) return null;
  return reasons.find(([, words]) => words.test(reason))?.[0] ?? 'other';
}

/** The tool choice of any API in our words. */
export function toolChoiceOf(given: unknown): ToolChoice {
  const { type, name, function: chosen, functionCallingConfig } = foreign(given);
  const { mode, allowedFunctionNames } = foreign(functionCallingConfig);
  const word = asText(mode ?? (typeof given === 'string' ? given : type)).toLowerCase();
  const toolName = asText(
    foreign(chosen)['name'] ?? name ?? (Array.isArray(allowedFunctionNames) ? allowedFunctionNames[0] : ''),
  );
  if (toolName !== '') return { toolName };
  if (word === 'none') return 'none';
  return word === 'required' || word === 'any' ? 'required' : 'auto';
}
