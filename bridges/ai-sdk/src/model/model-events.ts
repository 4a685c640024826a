import { type FinishReason, toFinishReason } from '@vitrine/core/internal/graph/inference-response';
import { reportedUsage, type ReportedUsage, unreported } from '@vitrine/core/internal/graph/usage-of-call';
import { isPlainObject, type JsonObject, type JsonValue, readJson } from '@vitrine/core/internal/kit/json';
import { readModelJson } from '@vitrine/core/internal/kit/partial-json';
import type {
  InferenceCall,
  InferenceEvent,
  InferenceRequest,
} from '@vitrine/core/internal/model/inference-client';
import type { ModelStreamPart } from './language-model.ts';
import { isUnreadable, isWithoutEnd, unreadableEvent, upstreamErrorEvent } from './upstream-error.ts';

const brokenOff: InferenceEvent = {
  type: 'error',
  code: 'stream-incomplete',
  message: 'The answer broke off: the provider ended the stream without saying that it was finished.',
  retryable: true,
  retryAfterMs: null,
};

/** The events of one model call, which begins when the first is requested. Only one request may be pending. */
export function modelEvents(
  open: () => Promise<ReadableStream<ModelStreamPart>>,
  { tools, settings }: Pick<InferenceRequest, 'tools' | 'settings'>,
  { signal, onError = () => undefined }: InferenceCall,
): AsyncIterator<InferenceEvent, undefined> {
  let reader: ReadableStreamDefaultReader<ModelStreamPart> | null = null;
  let isOver = false;
  const asked = Object.keys(settings).filter((name) => settings[name] !== null);
  const answer = createAnswer(
    tools.map(({ name }) => name),
    asked,
  );

  /** Also ends a stream that opens, or a read that is answered, only afterwards. */
  function close(): void {
    isOver = true;
    void reader?.cancel().catch(() => undefined);
  }

  const over: IteratorResult<InferenceEvent, undefined> = { done: true, value: undefined };

  return {
    async next() {
      try {
        if (reader === null && !isOver) {
          reader = (await open()).getReader();
          if (isOver) close();
        }
        while (reader !== null && !isOver) {
          const { done, value } = await reader.read();
          if (isOver) break;
          if (!done && value.type === 'error') onError(value.error);
          const event = done ? answer.end() : answer.take(value);
          if (event?.type === 'finish' || event?.type === 'error') close();
          if (event !== null) return { done: false, value: event };
        }
        return over;
      } catch (error) {
        const isLeft = isOver;
        close();
        if (signal.aborted) throw signal.reason;
        if (isLeft) return over;
        onError(error);
        return { done: false, value: upstreamErrorEvent(error, reader !== null) };
      }
    },
    async return() {
      close();
      return { done: true, value: undefined };
    },
  };
}

/** Converts the parts of one answer. Unreadable frames, and a missing finish reason, fail only an empty answer. */
function createAnswer(toolNames: readonly string[], settings: readonly string[]) {
  const nameParts = createPartNames();
  /** The settings that the model does not support. */
  let unsupported: readonly string[] = [];
  let skippedFrames = 0;
  let isUnfinished = false;
  let hasContent = false;

  function finishEvent(told: Extract<InferenceEvent, { type: 'finish' }>, isSaid: boolean): InferenceEvent {
    const event = unsupported.length === 0 ? told : { ...told, unsupportedSettings: unsupported };
    if (skippedFrames === 0 && !isUnfinished) return event;
    // Packages end an answer with an error behind a frame that they could not read.
    if (!isSaid && !hasContent) return unreadableEvent;
    const skipped = skippedFrames === 0 ? {} : { skippedFrames };
    return { ...event, ...(isSaid ? {} : { finishReason: 'other' }), ...skipped };
  }

  return {
    take(part: ModelStreamPart): InferenceEvent | null {
      if (part.type === 'error' && isUnreadable(part.error)) {
        skippedFrames++;
        return null;
      }
      if (part.type === 'error' && isWithoutEnd(part.error)) {
        isUnfinished = true;
        return null;
      }
      if (part.type === 'stream-start') unsupported = unsupportedIn(part, settings);
      const event = toInferenceEvent(nameParts(part));
      if (event === null) return null;
      hasContent ||= isContent(event);
      if ('toolName' in event) return { ...event, toolName: offeredName(toolNames, event.toolName) };
      const isSaid = part.type === 'finish' && isReasonOfProvider(part.finishReason);
      return event.type === 'finish' ? finishEvent(event, isSaid) : event;
    },
    /** The last event of a stream that ended without one. */
    end(): InferenceEvent {
      if (skippedFrames === 0) return brokenOff;
      return finishEvent({ type: 'finish', finishReason: 'other', usage: unreported }, false);
    },
  };
}

/** The asked settings that a warning names. A package warns of a value that it changes in the same way. */
function unsupportedIn(
  { warnings = [] }: Extract<ModelStreamPart, { type: 'stream-start' }>,
  settings: readonly string[],
): readonly string[] {
  const unsupported = warnings.filter(({ type }) => type.startsWith('unsupported'));
  const named = unsupported.map(({ feature, setting }) => feature ?? setting);
  return settings.filter((name) => named.includes(name));
}

function isContent(event: InferenceEvent): boolean {
  if (event.type === 'text-delta') return event.delta !== '';
  return event.type === 'tool-call' || event.type === 'file';
}

const unsaid = ['error', 'interrupted', 'other', 'unknown'];

/** True for a finish reason that the provider gave; packages end an answer without one by a reason of their own. */
function isReasonOfProvider(reason: Extract<ModelStreamPart, { type: 'finish' }>['finishReason']): boolean {
  return typeof reason === 'string' || reason.raw !== undefined || !unsaid.includes(reason.unified);
}

/** Gives a part that begins again under the id of an ended one an id of its own, so that both stay in their order. */
function createPartNames(): (part: ModelStreamPart) => ModelStreamPart {
  const ended = new Set<string>();
  const names = new Map<string, string>();
  let count = 0;
  return (part) => {
    if (!/^(?:text|reasoning)-/.test(part.type) || !('id' in part) || part.id === undefined) return part;
    const { id } = part;
    if (part.type.endsWith('-start') && ended.delete(id)) names.set(id, `${id}~${++count}`);
    if (part.type.endsWith('-end')) ended.add(id);
    const name = names.get(id);
    return name === undefined ? part : { ...part, id: name };
  };
}

/**
 * The name of the offered tool that a model means: models put a namespace before a name (`functions.read`), or leave
 * marks of their template behind it (`read<|channel|>commentary`). A name that no single tool has stays.
 */
function offeredName(offered: readonly string[], name: string): string {
  if (offered.includes(name)) return name;
  const bare = name.split('<|', 1)[0]?.trim() ?? '';
  const last = Math.max(...['.', ':', '/'].map((sign) => bare.lastIndexOf(sign)));
  const wanted = [bare, bare.slice(last + 1)].map((one) => one.toLowerCase());
  const meant = offered.filter((one) => wanted.includes(one.toLowerCase()));
  return meant.length === 1 && meant[0] !== undefined ? meant[0] : name;
}

/** Converts a part of a model's stream to an event; null for a part without one. */
function toInferenceEvent(part: ModelStreamPart): InferenceEvent | null {
  switch (part.type) {
    case 'response-metadata':
      return { type: 'start', id: part.id ?? null, model: part.modelId ?? null };
    case 'text-delta':
    case 'reasoning-delta':
      return deltaOf(part.type, part.delta, part);
    // Signatures come with the end of a part, redacted content with its start; both belong to that part.
    case 'text-start':
    case 'text-end':
      return part.providerMetadata ? deltaOf('text-delta', '', part) : null;
    case 'reasoning-start':
    case 'reasoning-end':
      return part.providerMetadata ? deltaOf('reasoning-delta', '', part) : null;
    case 'tool-input-start':
      return { type: 'tool-call-start', toolCallId: part.id, toolName: part.toolName };
    case 'tool-input-delta':
      return { type: 'tool-call-delta', toolCallId: part.id, delta: part.delta };
    case 'tool-call': {
      const { toolCallId, toolName } = part;
      return { type: 'tool-call', toolCallId, toolName, input: parseInput(part.input), ...metadata(part) };
    }
    case 'file':
      return {
        type: 'file',
        mediaType: part.mediaType,
        ...fileData(part.data),
        filename: null,
        ...metadata(part),
      };
    case 'source':
      return { type: 'source', id: part.id, url: part.url ?? null, title: part.title ?? null };
    case 'finish':
      return {
        type: 'finish',
        finishReason: reasonOf(part.finishReason),
        ...explanationOf(part),
        usage: toUsage(part.usage),
      };
    case 'error':
      return upstreamErrorEvent(part.error);
    default:
      return null;
  }
}

/** Arguments that are not JSON stay text: validation then tells the model the error. */
function parseInput(input: string): JsonValue {
  if (input.trim() === '') return {};
  const strict = readJson(input);
  const json = strict.ok ? strict : readModelJson(input);
  // Models write null for a call without arguments.
  return json.ok ? (json.value ?? {}) : input;
}

function reasonOf(reason: string | { unified: string }): FinishReason {
  return toFinishReason(typeof reason === 'string' ? reason : reason.unified);
}

function toUsage({
  inputTokens,
  outputTokens,
  raw,
}: Partial<Extract<ModelStreamPart, { type: 'finish' }>['usage']> = {}): ReportedUsage {
  const [input, output, reasoning] = [
    inputTokens?.total ?? 0,
    outputTokens?.total ?? 0,
    outputTokens?.reasoning ?? 0,
  ];
  // Most providers count reasoning within the output, some beside it; their total shows which.
  const isBeside =
    reasoning > output || (reasoning > 0 && raw?.['total_tokens'] === input + output + reasoning);
  const all = isBeside ? output + reasoning : outputTokens?.total;
  return reportedUsage({
    inputTokens: inputTokens?.total,
    outputTokens: all,
    reasoningTokens: reasoning,
    ...cachedTokens(inputTokens, raw),
    totalTokens: inputTokens?.total === undefined || all === undefined ? null : input + all,
  });
}

/** The tokens of a cache. Compatible servers leave out what is written, and all of them for how long. */
function cachedTokens(
  counted: Extract<ModelStreamPart, { type: 'finish' }>['usage']['inputTokens'] = {},
  raw: object = {},
): object {
  const details = inside(raw, 'prompt_tokens_details') ?? inside(raw, 'input_tokens_details') ?? {};
  const kept = inside(details, 'cache_write_tokens_details') ?? {};
  return {
    cacheReadTokens: counted.cacheRead || figureIn(raw, 'prompt_cache_hit_tokens', 'cached_tokens'),
    cacheWriteTokens:
      counted.cacheWrite ||
      figureIn(details, 'cache_write_tokens', 'cache_creation_tokens') ||
      figureIn(raw, 'cache_creation_input_tokens'),
    cacheWriteHourTokens:
      figureIn(kept, 'ttl_12h_tokens') ||
      figureIn(inside(raw, 'cache_creation') ?? {}, 'ephemeral_1h_input_tokens'),
  };
}

function inside(value: object, name: string): object | null {
  const found: unknown = (value as { [name: string]: unknown })[name];
  return typeof found === 'object' ? found : null;
}

function figureIn(value: object, ...names: readonly string[]): unknown {
  return names.map((name) => (value as { [name: string]: unknown })[name]).find(Boolean);
}

type Metadata = { providerMetadata?: { readonly [provider: string]: JsonObject } };

/** Written as one literal, because hundreds of these come in a second. */
function deltaOf(
  type: 'text-delta' | 'reasoning-delta',
  delta: string,
  { id, providerMetadata }: Metadata & { id?: string },
): InferenceEvent {
  const event = id === undefined ? { type, delta } : { type, delta, partId: id };
  return providerMetadata ? { ...event, providerMetadata } : event;
}

function metadata({ providerMetadata }: Metadata): { providerMetadata?: JsonObject } {
  return providerMetadata ? { providerMetadata } : {};
}

function fileData(data: unknown): { data?: string; url?: string } {
  const inner = isPlainObject(data) && 'type' in data ? data : null;
  if (inner?.['type'] === 'url') return { url: String(inner['url']) };
  const bytes = inner === null ? data : inner['data'];
  if (typeof bytes === 'string') return { data: bytes };
  return bytes instanceof Uint8Array ? { data: toBase64(bytes) } : {};
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The paths at which provider packages put the explanation of an ended answer, the most detailed first. */
const places: readonly (readonly string[])[] = [
  ['anthropic', 'stopDetails', 'explanation'],
  ['anthropic', 'stopDetails', 'category'],
  ['google', 'finishMessage'],
  ['google', 'promptFeedback', 'blockReason'],
];
/** Finish reasons that need no explanation. */
const usual: ReadonlySet<string> = new Set(['stop', 'length', 'tool-calls']);

/** The provider's explanation of an unusual end, or else its own name for the reason. */
function explanationOf({ finishReason, providerMetadata }: Extract<ModelStreamPart, { type: 'finish' }>): {
  explanation?: string;
} {
  const { unified, raw = '' } = typeof finishReason === 'string' ? { unified: finishReason } : finishReason;
  if (usual.has(unified)) return {};
  const said = places.map((path) => textAt(providerMetadata, path)).find((text) => text !== '');
  // A refusal may come with the finish reason of a normal end.
  const words = said ?? (usual.has(raw) ? '' : raw);
  return words === '' ? {} : { explanation: words };
}

function textAt(value: unknown, path: readonly string[]): string {
  const found = path.reduce<unknown>((inner, key) => (isPlainObject(inner) ? inner[key] : undefined), value);
  return typeof found === 'string' ? found : '';
}
