import { normalizeUsage } from '../graph/normalize-usage.ts';
import type { JsonObject } from '../kit/json.ts';
import { providerMetadataOf } from '../kit/provider-metadata-of.ts';
import { textOf, textOrNull } from '../kit/text-of.ts';
import { toJson } from '../kit/to-json.ts';
import type { InferenceEvent } from './inference-client.ts';
import { toFinishReason } from './to-finish-reason.ts';
import { longestTimerMs } from '../kit/longest-timer.ts';

/** Characters of what a provider says about the end of an answer. */
const maxExplanation = 300;

type Raw = { readonly [key: string]: unknown };
type Normalizers = {
  readonly [Type in InferenceEvent['type']]: (raw: Raw) => Extract<InferenceEvent, { type: Type }> | null;
};

/**
 * What a client streams, as state may hold it, or null for what is no event: an unknown type, a delta without text, a
 * file without data and address. The rest is mended: an unknown finish reason is `other`, ids and names that are no
 * text are `''`, figures of usage are repaired (see `normalizeUsage`), the input of a tool call is copied as JSON (text
 * stays text, none at all is `{}`), foreign keys are dropped. Well-formed events come back equal, a plain text delta
 * even as the same object. Never throws.
 */
export function normalizeInferenceEvent(raw: unknown): InferenceEvent | null {
  if (typeof raw !== 'object' || raw === null) return null;
  try {
    const event = raw as Raw;
    if (isPlainDelta(event)) return event;
    const { type } = event;
    if (typeof type !== 'string' || !Object.hasOwn(normalizers, type)) return null;
    return normalizers[type as InferenceEvent['type']](event);
  } catch {
    // A getter or a proxy that throws.
    return null;
  }
}

/** Many hundreds of these come in a second, so the common one is only looked at. */
function isPlainDelta(event: Raw): event is Extract<InferenceEvent, { type: 'text-delta' }> {
  if (event['type'] !== 'text-delta' || typeof event['delta'] !== 'string') return false;
  for (const key in event) {
    if (key === 'type' || key === 'delta') continue;
    if (key !== 'partId' || typeof event['partId'] !== 'string') return false;
  }
  return true;
}

const normalizers: Normalizers = {
  start: ({ id, model }) => ({ type: 'start', id: textOrNull(id), model: textOrNull(model) }),
  'text-delta': (raw) => delta('text-delta', raw),
  'reasoning-delta': (raw) => delta('reasoning-delta', raw),
  'tool-call-start': ({ toolCallId, toolName }) => ({
    type: 'tool-call-start',
    toolCallId: textOf(toolCallId),
    toolName: textOf(toolName),
  }),
  'tool-call-delta': ({ toolCallId, delta }) =>
    typeof delta === 'string' ? { type: 'tool-call-delta', toolCallId: textOf(toolCallId), delta } : null,
  'tool-call': ({ toolCallId, toolName, input, providerMetadata }) => ({
    type: 'tool-call',
    toolCallId: textOf(toolCallId),
    toolName: textOf(toolName),
    input: input === undefined ? {} : toJson(input),
    ...providerMetadataOf(providerMetadata),
  }),
  file,
  source: ({ id, url, title }) => ({
    type: 'source',
    id: textOf(id),
    url: textOrNull(url),
    title: textOrNull(title),
  }),
  finish: ({ finishReason, explanation, usage }) => ({
    type: 'finish',
    finishReason: toFinishReason(finishReason),
    ...explained(explanation),
    usage: normalizeUsage(usage),
  }),
  error: ({ code, message, retryable, retryAfterMs }) => ({
    type: 'error',
    code: textOf(code) || 'upstream-error',
    message: textOf(message) || 'The model provider reported an error without saying what it was.',
    retryable: retryable === true,
    retryAfterMs: waitOf(retryAfterMs),
  }),
};

/** What somebody else has written is shown to people: one paragraph, and short. */
function explained(value: unknown): { explanation?: string } {
  const explanation = textOf(value).replace(/\s+/g, ' ').trim().slice(0, maxExplanation);
  return explanation === '' ? {} : { explanation };
}

function delta<Type extends 'text-delta' | 'reasoning-delta'>(
  type: Type,
  { delta, partId, providerMetadata }: Raw,
): { type: Type; delta: string; partId?: string; providerMetadata?: JsonObject } | null {
  if (typeof delta !== 'string') return null;
  return {
    type,
    delta,
    ...(typeof partId === 'string' ? { partId } : {}),
    ...providerMetadataOf(providerMetadata),
  };
}

function file({ mediaType, data, url, filename, providerMetadata }: Raw): ReturnType<Normalizers['file']> {
  if (typeof data !== 'string' && typeof url !== 'string') return null;
  return {
    type: 'file',
    mediaType: textOf(mediaType) || 'application/octet-stream',
    ...(typeof data === 'string' ? { data } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    filename: textOrNull(filename),
    ...providerMetadataOf(providerMetadata),
  };
}

/** Milliseconds, no more than a timer can count. */
function waitOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? Math.min(value + 0, longestTimerMs) : null;
}
