import { normalizeFile, normalizeSource } from '../graph/normalize-message.ts';
import { reportedUsage } from '../graph/usage-of-call.ts';
import type { JsonObject } from '../kit/json.ts';
import { maskSecrets } from '../kit/mask-secrets.ts';
import { providerMetadataOf, toJson } from '../kit/to-json.ts';
import { cutText, textOf, textOrNull, wellFormed } from '../kit/text.ts';
import type { InferenceEvent } from './inference-client.ts';
import { isToolOutcome } from '../graph/tool-execution.ts';
import { toFinishReason } from '../graph/inference-response.ts';
import { longestTimerMs } from '../kit/async.ts';

/** Longest explanation of a provider, in characters. */
const maxExplanation = 300;

type Raw = { readonly [key: string]: unknown };
type Normalizers = {
  readonly [Type in InferenceEvent['type']]: (raw: Raw) => Extract<InferenceEvent, { type: Type }> | null;
};

/**
 * Normalises an event of a client into the shape that state can hold. Returns null for an unknown type, a delta
 * without text, and a file without data and address. An unknown finish reason becomes `other`, ids and names that are
 * no text become `''`, and impossible usage figures are unknown (see `reportedUsage`). The input of a tool call is
 * copied as JSON (text stays text, none becomes `{}`), and foreign keys are dropped. Valid events come back equal, a
 * plain text delta even as the same object. Never throws.
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
    // A getter or a proxy has thrown.
    return null;
  }
}

/** True for a plain text delta, which is returned without a copy because hundreds come in a second. */
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
  switch: ({ from, to, code, afterMs }) => ({
    type: 'switch',
    from: textOrNull(from),
    to: textOrNull(to),
    code: textOf(code),
    afterMs: waitOf(afterMs) ?? 0,
  }),
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
  'tool-elsewhere': ({ toolCallId, outcome, result }) => ({
    type: 'tool-elsewhere',
    toolCallId: textOf(toolCallId),
    outcome: isToolOutcome(outcome) ? outcome : 'completed',
    result: result === undefined ? null : toJson(result),
  }),
  // A model has no store of blobs.
  file: ({ mediaType, data, url, filename, providerMetadata }) =>
    normalizeFile({ mediaType, data, url, filename, providerMetadata }),
  source: normalizeSource,
  finish: ({ finishReason, explanation, skippedFrames, unsupportedSettings, usage }) => ({
    type: 'finish',
    finishReason: toFinishReason(finishReason),
    ...normalizeExplanation(explanation),
    ...(isCount(skippedFrames) && { skippedFrames }),
    ...(Array.isArray(unsupportedSettings) && {
      unsupportedSettings: unsupportedSettings.slice(0, 20).map(textOf),
    }),
    usage: reportedUsage(usage),
  }),
  error: ({ code, message, retryable, retryAfterMs, status, wasUnread }) => ({
    type: 'error',
    code: textOf(code) || 'upstream-error',
    message: textOf(message) || 'The model provider reported an error without saying what it was.',
    retryable: retryable === true,
    retryAfterMs: waitOf(retryAfterMs),
    ...(Number.isInteger(status) && { status: status as number }),
    ...(wasUnread === true && { wasUnread }),
  }),
};

function isCount(count: unknown): count is number {
  return Number.isSafeInteger(count) && (count as number) > 0;
}

/** Normalises a provider's explanation: one short paragraph with secrets masked. */
function normalizeExplanation(value: unknown): { explanation?: string } {
  // Masked before it is cut, because half a token would not be recognised.
  const said = maskSecrets(wellFormed(textOf(value).slice(0, 10 * maxExplanation)));
  const explanation = cutText(said.replace(/\s+/g, ' ').trim(), maxExplanation);
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

/** Milliseconds, at most the limit of a timer. */
function waitOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? Math.min(value + 0, longestTimerMs) : null;
}
