import type { FilePart, MessagePart } from '@vitrine/core/internal/graph/message';
import { type JsonValue, readJson } from '@vitrine/core/internal/kit/json';
import { spendUnits } from '@vitrine/core/internal/kit/work';
import { textOf, textOrNull } from '@vitrine/core/internal/kit/text';
import { toJson } from '@vitrine/core/internal/kit/to-json';

// The parts of a message, from values of a file whose types are not known yet.

/** A text as a part; none for an empty text, and for other values. */
export function text(given: unknown, type: 'text' | 'reasoning' = 'text'): readonly MessagePart[] {
  return typeof given === 'string' && given !== '' ? [{ type, text: given }] : [];
}

/** The value of a text from a tool: an object or list when the text is one, else the text. */
export function resultValue(text: string): JsonValue {
  const json = /^\s*[[{]/.test(text) ? readJson(text) : null;
  return json?.ok ? json.value : text;
}

/** The arguments of a call: the value of a JSON text, a text that is no JSON, or the value itself. */
export function argumentsOf(given: unknown): JsonValue {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return toJson(given);
  if (given.trim() === '') return {};
  const json = readJson(given);
  return json.ok ? json.value : given;
}

/** A call; its id and name may be missing. */
export function call(given: {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
}): MessagePart {
  return {
    type: 'tool-call',
    toolCallId: textOf(given.id),
    toolName: textOf(given.name),
    input: argumentsOf(given.input),
    providerCallId: null,
  };
}

/** The result of a call; a failed one has a text. */
export function result(given: {
  readonly id: unknown;
  readonly name?: unknown;
  readonly output: JsonValue;
  readonly isError?: boolean;
}): MessagePart {
  return {
    type: 'tool-result',
    toolCallId: textOf(given.id),
    toolName: textOf(given.name),
    output: given.output,
    outcome: given.isError === true ? 'failed' : 'completed',
    durationMs: null,
  };
}

/** A source that an answer cites; null without an address and a title. */
export function source({
  id,
  url,
  title,
}: {
  readonly id?: unknown;
  readonly url?: unknown;
  readonly title?: unknown;
}): MessagePart | null {
  const address = textOrNull(url) || null;
  const name = textOrNull(title) || null;
  if (address === null && name === null) return null;
  return {
    type: 'source',
    id: typeof id === 'string' && id !== '' ? id : (address ?? name ?? ''),
    url: address,
    title: name,
  };
}

/** The scheme of a file that the store of a session keeps; `readAttachment` reads it. */
export const blobScheme = 'vitrine-blob:';
const anyFile = 'application/octet-stream';

/** A file of another library: its bytes as base64, or an address, which may be a data URL. */
export type GivenFile = {
  readonly mediaType?: unknown;
  readonly filename?: unknown;
  readonly data?: unknown;
  readonly url?: unknown;
};

/** The file as a part; null for one that has neither bytes nor an address. */
export function file({ mediaType, filename, data, url }: GivenFile): FilePart | null {
  const type = typeof mediaType === 'string' ? mediaType : '';
  const named = { filename: textOrNull(filename) || null };
  const address = typeof url === 'string' ? url : isDataUrl(data) ? String(data) : '';
  if (isDataUrl(address)) {
    const inline = inlineFile(address);
    return inline && { type: 'file', mediaType: type || inline.mediaType, data: inline.data, ...named };
  }
  if (typeof data === 'string' && data !== '')
    return { type: 'file', mediaType: type || anyFile, data, ...named };
  if (address === '') return null;
  if (!address.startsWith(blobScheme))
    return { type: 'file', mediaType: type || typeByName(address), url: address, ...named };
  const [hash = '', size] = address.slice(blobScheme.length).split('?size=');
  return { type: 'file', mediaType: type || anyFile, blob: { hash, size: Number(size) }, ...named };
}

export function textFile(text: string, filename: unknown, mediaType = 'text/plain'): FilePart {
  const data = btoa(bytesOf(text));
  return { type: 'file', mediaType, data, filename: textOrNull(filename) || null };
}

function isDataUrl(value: unknown): boolean {
  return typeof value === 'string' && value.slice(0, 5).toLowerCase() === 'data:';
}

/** The type and bytes of a data URL; its content is base64, or text in percent encoding. */
function inlineFile(address: string): { mediaType: string; data: string } | null {
  const comma = address.indexOf(',');
  if (comma < 0) return null;
  const [mediaType = '', ...options] = address.slice(5, comma).split(';');
  const content = address.slice(comma + 1);
  const isBase64 = options.some((option) => option.trim().toLowerCase() === 'base64');
  const data = isBase64 ? content : btoa(percentDecoded(bytesOf(content)));
  return { mediaType: mediaType.trim() || 'text/plain', data };
}

/** The bytes of a text, each as a character. */
function bytesOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  spendUnits(bytes.length);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return binary;
}

/** Bytes in percent encoding, decoded. A `%` without two digits stands for itself. */
function percentDecoded(bytes: string): string {
  return bytes.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
}

const typesByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  csv: 'text/csv',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
};

/** The media type by the ending of an address, as the AI SDK 4 took it from there. */
function typeByName(address: string): string {
  const path = address.split(/[?#]/, 1)[0] ?? '';
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(typesByEnding, ending) ? (typesByEnding[ending] as string) : anyFile;
}
