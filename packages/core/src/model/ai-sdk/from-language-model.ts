import { of as usageOf, type Usage } from '../../graph/usage.ts';
import type { JsonObject, JsonValue } from '../../kit/json.ts';
import type { FinishReason } from '../../graph/inference-response.ts';
import type { InferenceClient, InferenceEvent, InferenceRequest } from '../inference-client.ts';
import { toFinishReason } from '../to-finish-reason.ts';
import { explanationOf } from './explanation-of.ts';
import type { LanguageModel, ModelStreamPart } from './language-model.ts';
import { toModelPrompt } from './model-prompt.ts';
import { upstreamErrorEvent } from './upstream-error.ts';

/** Settings that a request may pass on; anything else in it is ignored. */
const settingNames = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
] as const;

/** Uses any AI SDK language model (`openai('…')`, `anthropic('…')`, …) as an inference client. */
export function fromLanguageModel(model: LanguageModel): InferenceClient {
  return {
    async *stream(request, { signal, onError = () => undefined }) {
      let reader: ReadableStreamDefaultReader<ModelStreamPart> | null = null;
      try {
        const { stream } = await model.doStream({ ...callOptions(request), abortSignal: signal });
        reader = (stream as ReadableStream<ModelStreamPart>).getReader();
        yield* readParts(reader, onError);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        onError(error);
        yield upstreamErrorEvent(error);
      } finally {
        void reader?.cancel().catch(() => undefined);
      }
    },
  };
}

async function* readParts(
  reader: ReadableStreamDefaultReader<ModelStreamPart>,
  onError: (error: unknown) => void,
): AsyncGenerator<InferenceEvent> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value.type === 'error') onError(value.error);
    for (const event of toEvents(value)) {
      yield event;
      if (event.type === 'finish' || event.type === 'error') return;
    }
  }
  const message = 'The answer broke off: the provider ended the stream without saying that it was finished.';
  yield { type: 'error', code: 'stream-incomplete', message, retryable: true, retryAfterMs: null };
}

function callOptions(request: InferenceRequest): object {
  const { settings, tools, toolChoice, responseFormat } = request;
  const allowed = settingNames.filter((name) => settings[name] !== undefined && settings[name] !== null);
  return {
    prompt: toModelPrompt(request.messages),
    ...Object.fromEntries(allowed.map((name) => [name, settings[name]])),
    ...reasoningOf(settings['reasoning']),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            name,
            description,
            inputSchema,
          })),
          toolChoice:
            typeof toolChoice === 'string'
              ? { type: toolChoice }
              : { type: 'tool', toolName: toolChoice.toolName },
        }),
    ...(responseFormat === null ? {} : { responseFormat }),
  };
}

/** How much to think, as every provider package maps it to its own options (`LanguageModelV4`; older ones do not know it). */
function reasoningOf(level: JsonValue | undefined): { reasoning?: string } {
  if (level === 'off') return { reasoning: 'none' };
  return level === 'low' || level === 'medium' || level === 'high' ? { reasoning: level } : {};
}

function toEvents(part: ModelStreamPart): InferenceEvent[] {
  switch (part.type) {
    case 'response-metadata':
      return [{ type: 'start', id: part.id ?? null, model: part.modelId ?? null }];
    case 'text-delta':
    case 'reasoning-delta':
      return [{ type: part.type, delta: part.delta, ...origin(part) }];
    // Signatures come with the end, what was redacted with the start; they belong to the part that starts or ends.
    case 'text-start':
    case 'text-end':
      return part.providerMetadata ? [{ type: 'text-delta', delta: '', ...origin(part) }] : [];
    case 'reasoning-start':
    case 'reasoning-end':
      return part.providerMetadata ? [{ type: 'reasoning-delta', delta: '', ...origin(part) }] : [];
    case 'tool-input-start':
      return [{ type: 'tool-call-start', toolCallId: part.id, toolName: part.toolName }];
    case 'tool-input-delta':
      return [{ type: 'tool-call-delta', toolCallId: part.id, delta: part.delta }];
    case 'tool-call': {
      const { toolCallId, toolName } = part;
      return [{ type: 'tool-call', toolCallId, toolName, input: parseInput(part.input), ...metadata(part) }];
    }
    case 'file':
      return [
        {
          type: 'file',
          mediaType: part.mediaType,
          ...fileData(part.data),
          filename: null,
          ...metadata(part),
        },
      ];
    case 'source':
      return [{ type: 'source', id: part.id, url: part.url ?? null, title: part.title ?? null }];
    case 'finish':
      return [
        {
          type: 'finish',
          finishReason: reasonOf(part.finishReason),
          ...explanationOf(part),
          usage: toUsage(part.usage),
        },
      ];
    case 'error':
      return [upstreamErrorEvent(part.error)];
    default:
      return [];
  }
}

/** Arguments that are not JSON are handed on as text: validation then tells the model what is wrong with them. */
function parseInput(input: string): JsonValue {
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input) as JsonValue;
  } catch {
    return input;
  }
}

function reasonOf(reason: string | { unified: string }): FinishReason {
  return toFinishReason(typeof reason === 'string' ? reason : reason.unified);
}

function toUsage({
  inputTokens,
  outputTokens,
  raw,
}: Extract<ModelStreamPart, { type: 'finish' }>['usage']): Usage {
  const [input, output, reasoning] = [
    inputTokens?.total ?? 0,
    outputTokens?.total ?? 0,
    outputTokens?.reasoning ?? 0,
  ];
  // Most providers count reasoning within the output, some beside it: their total tells.
  const isBeside =
    reasoning > output || (reasoning > 0 && raw?.['total_tokens'] === input + output + reasoning);
  return usageOf({
    inputTokens: input,
    outputTokens: isBeside ? output + reasoning : output,
    reasoningTokens: reasoning,
    cacheReadTokens: inputTokens?.cacheRead ?? 0,
    cacheWriteTokens: inputTokens?.cacheWrite ?? 0,
  });
}

type Metadata = { providerMetadata?: { readonly [provider: string]: JsonObject } };

function origin(part: Metadata & { id?: string }): { partId?: string; providerMetadata?: JsonObject } {
  return { ...(part.id === undefined ? {} : { partId: part.id }), ...metadata(part) };
}

function metadata({ providerMetadata }: Metadata): { providerMetadata?: JsonObject } {
  return providerMetadata ? { providerMetadata } : {};
}

function fileData(data: unknown): { data?: string; url?: string } {
  const inner =
    typeof data === 'object' && data !== null && 'type' in data
      ? (data as { type: string; data?: unknown; url?: unknown })
      : null;
  if (inner?.type === 'url') return { url: String(inner.url) };
  const bytes = inner === null ? data : inner.data;
  if (typeof bytes === 'string') return { data: bytes };
  return bytes instanceof Uint8Array ? { data: toBase64(bytes) } : {};
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
