import { providerMetadataOf, toJson } from '../kit/to-json.ts';
import { textOf, textOrNull } from '../kit/text.ts';
import { isToolOutcome } from './is-tool-outcome.ts';
import type { BlobReference, FilePart, MessagePart } from './message-part.ts';

type Raw = { readonly [key: string]: unknown };
/** SHA-256 as written in messages, keys and row names. */
const blobHash = /^[0-9a-f]{64}$/;

type Normalizers = {
  readonly [Type in MessagePart['type']]: (raw: Raw) => Extract<MessagePart, { type: Type }> | null;
};

/**
 * Copies a message part into the shape that state can hold. Returns null for an unknown type, text without text, and a
 * file without data, address and blob. Ids and names that are no text become `''` or null, and values are copied as
 * JSON. A result without a known `outcome` is `failed` when it has `isError: true`, else `completed`. Never throws.
 */
export function normalizeMessagePart(raw: unknown): MessagePart | null {
  if (typeof raw !== 'object' || raw === null) return null;
  try {
    const { type } = raw as Raw;
    if (typeof type !== 'string' || !Object.hasOwn(normalizers, type)) return null;
    return normalizers[type as MessagePart['type']](raw as Raw);
  } catch {
    // A getter or a proxy has thrown.
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
    outcome: isToolOutcome(outcome) ? outcome : isError === true ? 'failed' : 'completed',
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
  const reference = blobReference(blob);
  if (![data, url].some((place) => typeof place === 'string') && reference === null) return null;
  return {
    type: 'file',
    mediaType: textOf(mediaType) || 'application/octet-stream',
    ...(typeof data === 'string' ? { data } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(reference === null ? {} : { blob: reference }),
    filename: textOrNull(filename),
    ...providerMetadataOf(providerMetadata),
  };
}

/** The reference to a stored blob, or null for an invalid one. */
function blobReference(value: unknown): BlobReference | null {
  if (typeof value !== 'object' || value === null) return null;
  const { hash, size } = value as Raw;
  if (typeof hash !== 'string' || !blobHash.test(hash)) return null;
  return Number.isSafeInteger(size) && (size as number) >= 0 ? { hash, size: (size as number) + 0 } : null;
}

function durationOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value + 0 : null;
}
