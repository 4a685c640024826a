import * as errors from '../kit/errors.ts';
import type { AgentError } from '../kit/agent-error.ts';
import { freeze } from '../kit/freeze.ts';
import { shownShape, textOf, textOrNull, wellFormed } from '../kit/text.ts';
import { toJsonObject, providerMetadataOf, toJson } from '../kit/to-json.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import type { Message, MessageRole, MessagePart, BlobReference, FilePart, SourcePart } from './message.ts';
import { isToolOutcome } from './tool-execution.ts';

/** Messages that this library created or copied: valid, and never modified. */
const known = new WeakSet<object>();

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies MessageRole[];

/**
 * Copies a message of an application into the shape that state can hold; the copy is frozen in development. A known
 * message is returned unchanged. A missing or empty id becomes a fresh one, a missing time the current one, and
 * fractions are rounded. Metadata is copied as JSON, parts of unknown type are dropped (see `normalizeMessagePart`),
 * and parts given as text become one text part. An empty role means `user`.
 * @throws AgentError `message-invalid` for a value that is no message, an unknown role, and parts that are no list.
 */
export function normalizeMessage(raw: unknown, env: Env = systemEnv): Message {
  return normalize(raw, env, 'A message');
}

/**
 * Normalises a list of messages with `normalizeMessage`; of two messages with one id the second gets a new id. Returns
 * the same list when nothing had to be copied.
 * @throws AgentError `message-invalid` for a value that is no list, and for the first invalid message, with its
 * position.
 */
export function normalizeMessages(list: unknown, env: Env = systemEnv): readonly Message[] {
  if (!Array.isArray(list)) throw invalid('Messages', 'have to be a list', list);
  const ids = new Set<string>();
  const messages = Array.from(list, (raw: unknown, index) => {
    const message = normalize(raw, env, `messages[${index}]`);
    const own = ids.has(message.id) ? knownMessage({ ...message, id: env.id() }) : message;
    ids.add(own.id);
    return own;
  });
  return Object.isFrozen(list) && messages.every((message, index) => message === list[index])
    ? (list as readonly Message[])
    : messages;
}

/** Marks a message that this library made, so that it is not copied again. */
export function knownMessage(message: Message): Message {
  known.add(message);
  return freeze(message);
}

function normalize(raw: unknown, env: Env, place: string): Message {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw invalid(place, 'has to be an object with a role and parts', raw);
  }
  if (known.has(raw)) return raw as Message;
  const { id, role, parts, metadata, createdAt, parentId } = readFields(raw, place);
  if (role !== '' && !roles.includes(role)) throw invalid(place, `has the role ${shownShape(role)}`, role);
  return knownMessage({
    id: textOf(id) || env.id(),
    role: role === '' ? 'user' : (role as MessageRole),
    parts: partsOf(parts, place),
    metadata: toJsonObject(metadata),
    createdAt: timeOf(createdAt) ?? env.now(),
    parentId: textOrNull(parentId),
  });
}

type Fields = { readonly [Key in keyof Message]?: unknown };

function readFields(raw: object, place: string): Fields {
  try {
    const { id, role, parts, metadata, createdAt, parentId } = raw as Fields;
    return { id, role, parts, metadata, createdAt, parentId };
  } catch {
    throw invalid(place, 'cannot be read', null);
  }
}

function partsOf(parts: unknown, place: string): MessagePart[] {
  if (typeof parts === 'string') return [{ type: 'text', text: wellFormed(parts) }];
  if (!Array.isArray(parts)) throw invalid(place, 'has no list of parts', parts);
  return Array.from(parts, normalizeMessagePart).filter((part) => part !== null);
}

function timeOf(value: unknown): Timestamp | null {
  const time = value instanceof Date ? value.getTime() : value;
  if (typeof time !== 'number') return null;
  const rounded = Math.round(time) + 0;
  return Number.isSafeInteger(rounded) ? rounded : null;
}

function invalid(place: string, what: string, value: unknown): AgentError {
  const message = `${place} ${what}. A message is { role: 'system' | 'user' | 'assistant' | 'tool', parts: [...] }; Message.user(text) makes one.`;
  return errors.messageInvalid(message, { place, got: shownShape(value) });
}

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
  text: (raw) => normalizeText('text', raw),
  reasoning: (raw) => normalizeText('reasoning', raw),
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
  source: normalizeSource,
};

function normalizeText<Type>(type: Type, { text, providerMetadata }: Raw) {
  return typeof text === 'string'
    ? { type, text: wellFormed(text), ...providerMetadataOf(providerMetadata) }
    : null;
}

export function normalizeSource({ id, url, title }: Raw): SourcePart {
  return { type: 'source', id: textOf(id), url: textOrNull(url), title: textOrNull(title) };
}

export function normalizeFile(raw: Raw): FilePart | null {
  const { mediaType, data, url, blob, filename, providerMetadata } = raw;
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

function blobReference(value: unknown): BlobReference | null {
  if (typeof value !== 'object' || value === null) return null;
  const { hash, size } = value as Raw;
  if (typeof hash !== 'string' || !blobHash.test(hash)) return null;
  return Number.isSafeInteger(size) && (size as number) >= 0 ? { hash, size: (size as number) + 0 } : null;
}

function durationOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value + 0 : null;
}
