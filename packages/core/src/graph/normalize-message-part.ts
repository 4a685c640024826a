import { providerMetadataOf } from '../kit/provider-metadata-of.ts';
import { textOf, textOrNull } from '../kit/text-of.ts';
import { toJson } from '../kit/to-json.ts';
import type { FilePart, MessagePart, ToolOutcome } from './message-part.ts';

type Raw = { readonly [key: string]: unknown };
type Normalizers = {
  readonly [Type in MessagePart['type']]: (raw: Raw) => Extract<MessagePart, { type: Type }> | null;
};

const outcomes: readonly unknown[] = [
  'completed',
  'failed',
  'blocked',
  'rejected',
  'interrupted',
  'stopped',
] satisfies ToolOutcome[];

/**
 * A copy of a part of a message, as state may hold it, or null for what is none: an unknown type, text without text, a
 * file without data, address and blob. Ids and names that are no text become `''` or null, values are copied as JSON, a
 * result without a known `outcome` is `failed` where it has `isError: true`, else `completed`. Never throws.
 */
export function normalizeMessagePart(raw: unknown): MessagePart | null {
  if (typeof raw !== 'object' || raw === null) return null;
  try {
    const { type } = raw as Raw;
    if (typeof type !== 'string' || !Object.hasOwn(normalizers, type)) return null;
    return normalizers[type as MessagePart['type']](raw as Raw);
  } catch {
    // A getter or a proxy that throws.
    return null;
  }
}

const normalizers: Normalizers = {
  text: ({ text, providerMetadata }) =>
    typeof text === 'string' ? { type: 'text', text, ...providerMetadataOf(providerMetadata) } : null,
  reasoning: ({ text, providerMetadata }) =>
    typeof text === 'string' ? { type: 'reasoning', text, ...providerMetadataOf(providerMetadata) } : null,
  data: ({ name, data }) => ({ type: 'data', name: textOf(name), data: toJson(data) }),
  'tool-call': ({ toolCallId, toolName, input, providerCallId, providerMetadata }) => ({
    type: 'tool-call',
    toolCallId: textOf(toolCallId),
    toolName: textOf(toolName),
    input: input === undefined ? {} : toJson(input),
    providerCallId: textOrNull(providerCallId),
    ...providerMetadataOf(providerMetadata),
  }),
  'tool-result': ({ toolCallId, toolName, output, outcome, isError, durationMs }) => ({
    type: 'tool-result',
    toolCallId: textOf(toolCallId),
    toolName: textOf(toolName),
    output: toJson(output),
    outcome: outcomes.includes(outcome)
      ? (outcome as ToolOutcome)
      : isError === true
        ? 'failed'
        : 'completed',
    durationMs: durationOf(durationMs),
  }),
  file: normalizeFile,
  source: ({ id, url, title }) => ({
    type: 'source',
    id: textOf(id),
    url: textOrNull(url),
    title: textOrNull(title),
  }),
};

function normalizeFile({ mediaType, data, url, blob, filename, providerMetadata }: Raw): FilePart | null {
  if (![data, url, blob].some((place) => typeof place === 'string')) return null;
  return {
    type: 'file',
    mediaType: textOf(mediaType) || 'application/octet-stream',
    ...(typeof data === 'string' ? { data } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof blob === 'string' ? { blob } : {}),
    filename: textOrNull(filename),
    ...providerMetadataOf(providerMetadata),
  };
}

function durationOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value + 0 : null;
}
