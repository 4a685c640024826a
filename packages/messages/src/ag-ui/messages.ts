import * as AgentState from '@vitrine/core/internal/graph/agent-state/accessors';
import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import { isToldContext } from '@vitrine/core/internal/graph/foreign-traces';
import type { FilePart, Message, MessagePart, ToolResultPart } from '@vitrine/core/internal/graph/message';
import { normalizeMessage } from '@vitrine/core/internal/graph/normalize-message';
import { toolErrorPrefix, toolResultText } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState as State } from '@vitrine/core/internal/graph/types';
import { isUuid } from '@vitrine/core/internal/kit/ids';
import { equalJson, isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import * as Part from '../reading/part.ts';
import { importNamed, type NamedImportOptions } from '../reading/import-named.ts';
import {
  type Fields,
  type FoundMessage,
  listOf,
  noPlace,
  type ReadMessages,
  Import,
} from '../reading/reading.ts';
import type { AgUiContentPart, AgUiMessage, AgUiToolCall } from './protocol.ts';

/** The place in the metadata of a message that keeps what AG-UI has no field for. */
const own = 'vitrine';

/**
 * The active branch of a state as messages of AG-UI. What AG-UI has no field for (the order of parts, outcomes, times,
 * sources) is kept in `metadata.vitrine`, which `importAgUiMessages` reads.
 */
export function toAgUiMessages(state: State): AgUiMessage[] {
  return agUiMessagesOf(AgentState.messages(state));
}

/** A list of messages in the words of AG-UI. */
export function agUiMessagesOf(messages: readonly Message[]): AgUiMessage[] {
  return messages
    .filter((message) => !isToldContext(message))
    .flatMap((message) => {
      const native = nativeOf(message);
      const kept = keptOf(message, native);
      return native.map((one, index) => (index === native.length - 1 ? { ...one, metadata: kept } : one));
    });
}

/** The fields that AG-UI does not say, with the parts of a message that would not come back as they were. */
function keptOf(message: Message, native: readonly AgUiMessage[]): JsonObject {
  const { parts, metadata, createdAt, parentId } = message;
  const again = native.flatMap((one) => partsOf(one, '', () => ''));
  const isSaid = equalJson(again, parts);
  // The bytes of files stand in the message once.
  const whole = parts.map((part) =>
    part.type === 'file' && part.data !== undefined ? { ...part, data: '' } : part,
  );
  const kept = isSaid ? {} : { parts: whole as unknown as JsonValue };
  return { [own]: { createdAt, parentId, metadata, ...kept } };
}

/** A message in the words of AG-UI, without the fields that only `importAgUiMessages` reads. */
export function nativeOf({ id, role, parts }: Message): AgUiMessage[] {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (role === 'system') return [{ id, role, content: text }];
  if (role === 'user') {
    const isText = parts.every(({ type }) => type === 'text') && parts.length <= 1;
    return [{ id, role, content: isText ? text : parts.flatMap(contentOf) }];
  }
  if (role === 'tool') return parts.filter((part) => part.type === 'tool-result').map(resultOf(id));
  const reasoning = parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const toolCalls = parts.flatMap((part): AgUiToolCall[] => {
    if (part.type !== 'tool-call') return [];
    const call = { name: part.toolName, arguments: JSON.stringify(part.input) };
    return [{ id: part.toolCallId, type: 'function', function: call }];
  });
  return [
    ...(reasoning === '' ? [] : [{ id: `${id}-reasoning`, role: 'reasoning' as const, content: reasoning }]),
    { id, role, content: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) },
  ];
}

const resultOf =
  (id: string) =>
  ({ toolCallId, output, outcome }: ToolResultPart, index: number): AgUiMessage => {
    const content = toolResultText(output);
    const failed = outcome === 'completed' ? {} : { error: content };
    return { id: index === 0 ? id : `${id}-${index}`, role: 'tool', toolCallId, content, ...failed };
  };

function contentOf(part: MessagePart): AgUiContentPart[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type !== 'file') return [];
  const { mediaType, data, url } = part;
  const kind = /^(image|audio|video)\//.exec(mediaType)?.[1] as 'image' | undefined;
  const type = kind ?? 'document';
  if (data !== undefined) return [{ type, source: { type: 'data', value: data, mimeType: mediaType } }];
  if (url !== undefined) return [{ type, source: { type: 'url', value: url, mimeType: mediaType } }];
  return [];
}

/**
 * Messages of AG-UI as messages of a conversation, e.g. for `AgentState.create({ messages })` or `setMessages`. Ids
 * that are no UUIDs become new ones, the same for a call and its result. `importMessages` reads other shapes too, and
 * keeps ids.
 * @param options.trust `none` (default) leaves out system messages, `full` keeps them.
 * @param options.onLeft Receives the parts that are in none of the messages, each with its place and the reason.
 * @throws AgentError `message-invalid` for messages of another library, which it names.
 */
export function importAgUiMessages(messages: unknown, options: NamedImportOptions = {}): Message[] {
  const list = listOf(messages);
  return [
    ...importNamed(list, {
      name: 'importAgUiMessages',
      shape: 'ag-ui',
      read: readAgUi,
      ...options,
      isKept: isUuid,
    }),
  ];
}

/** Reads messages of AG-UI. The reasoning before an answer is a message of its own there. */
export const readAgUi: ReadMessages = (list, reading, at = '') => {
  let reasoning: FoundMessage | null = null;
  /** The reasoning that no answer follows, as an answer of its own. */
  const alone = (): readonly FoundMessage[] => {
    const found = reasoning === null ? [] : [reasoning];
    reasoning = null;
    return found;
  };
  const found = reading.entriesOf(list, at).flatMap(([raw, place]): readonly FoundMessage[] => {
    const { role, id, encryptedValue } = raw;
    const parts = partsOf(raw, place, () => '', reading);
    reading.leaveOthers(raw, place, ['content', 'toolCalls', 'error']);
    if (typeof encryptedValue === 'string')
      reading.leave(`${place}.encryptedValue`, 'encryptedValue', noPlace);
    if (role === 'reasoning') {
      reasoning = { at: place, role: 'assistant', id, parts: [...(reasoning?.parts ?? []), ...parts] };
      return [];
    }
    const before = role === 'assistant' ? (reasoning?.parts ?? []) : [];
    const message = importedOf(raw, [...before, ...parts], reading.env);
    if (message === null) return reading.leave(place, role, noPlace);
    const isOurs = isPlainObject(raw['metadata']) && raw['metadata'][own] !== undefined;
    if (role !== 'assistant') return [...alone(), { ...message, at: place, id, isOurs }];
    reasoning = null;
    return [{ ...message, at: place, id, isOurs }];
  });
  return [...found, ...alone()];
};

/** The message with the kept fields of this library, as far as they say the same as the message itself. */
function importedOf(raw: Fields, parts: readonly MessagePart[], env: Env): Message | null {
  const given = raw['role'] === 'developer' ? 'system' : raw['role'];
  const role = ['system', 'user', 'assistant', 'tool'].find((known) => known === given);
  if (role === undefined) return null;
  const kept = isPlainObject(raw['metadata']) ? raw['metadata'][own] : undefined;
  const said = isPlainObject(kept) ? kept : {};
  const whole = normalizeMessage({ id: 'a', role, ...said, parts: withBytes(said['parts'], parts) }, env);
  return said['parts'] === undefined || saysSame(whole, raw, parts)
    ? whole
    : normalizeMessage({ id: 'a', role, ...said, parts }, env);
}

/** Kept parts with the bytes of the files of the message, or its own parts when none were kept. */
function withBytes(kept: unknown, parts: readonly MessagePart[]): unknown {
  if (!Array.isArray(kept)) return parts;
  const files = parts.filter((part) => part.type === 'file' && part.data !== undefined);
  return kept.map((part: unknown) => {
    if (!isPlainObject(part) || part['type'] !== 'file' || part['data'] !== '') return part;
    const file = files.shift();
    return file?.type === 'file' ? { ...part, data: file.data } : part;
  });
}

/** True when kept parts say what the message says; a peer may have changed the message since. */
function saysSame(whole: Message, raw: Fields, parts: readonly MessagePart[]): boolean {
  const again = nativeOf({ ...whole, id: String(raw['id']) });
  const said = again.flatMap((one) => partsOf(one, '', (id) => nameIn(whole, id)));
  const now = parts.map((part) =>
    part.type === 'tool-result' ? { ...part, toolName: nameIn(whole, part.toolCallId) } : part,
  );
  return equalJson(said, now);
}

function nameIn({ parts }: Message, toolCallId: string): string {
  const part = parts.find((one) => one.type === 'tool-result' && one.toolCallId === toolCallId);
  return part?.type === 'tool-result' ? part.toolName : '';
}

/** The parts that a message of AG-UI says by itself. */
function partsOf(
  raw: Fields,
  at: string,
  nameOf: (id: string) => string,
  reading: Import = new Import(systemEnv),
): readonly MessagePart[] {
  const { role, content, toolCalls } = raw;
  if (role === 'tool') return resultIn(raw, at, nameOf, reading);
  if (role === 'reasoning') return Part.text(content, 'reasoning');
  const said = reading.partsOf(content, `${at}.content`, partIn);
  const calls = role === 'assistant' ? toolCalls : [];
  return [...said, ...reading.each(calls, `${at}.toolCalls`, callIn)];
}

function resultIn(
  raw: Fields,
  at: string,
  nameOf: (id: string) => string,
  reading: Import,
): readonly MessagePart[] {
  const { toolCallId, content, error } = raw;
  if (typeof toolCallId !== 'string') return reading.leave(at, 'tool-result', 'It names no call.');
  const text = contentText(content);
  if (Array.isArray(content))
    reading.partsOf(content, `${at}.content`, (part) => (part['type'] === 'text' ? [] : null));
  if (typeof error === 'string' && error !== '' && text !== '' && !text.includes(error))
    reading.leave(`${at}.error`, 'error', 'The content of the result is kept in its place.');
  const isFailed = typeof error === 'string' || text.startsWith(toolErrorPrefix);
  const output = isFailed ? text || String(error) : Part.resultValue(text);
  const outcome = isFailed ? 'failed' : 'completed';
  return [
    { type: 'tool-result', toolCallId, toolName: nameOf(toolCallId), output, outcome, durationMs: null },
  ];
}

/** The text of a content, which may be a list of parts. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? '');
  return content
    .map((part: unknown) =>
      isPlainObject(part) && part['type'] === 'text' ? String(part['text'] ?? '') : '',
    )
    .join('');
}

function callIn(call: unknown, at: string, { leave }: Import): readonly MessagePart[] {
  if (!isPlainObject(call) || typeof call['id'] !== 'string' || !isPlainObject(call['function']))
    return leave(at, 'tool-call', 'It has no id or names no function, so it is no call.');
  const { name, arguments: given } = call['function'];
  return [Part.call({ id: call['id'], name: String(name), input: given })];
}

function partIn(part: Fields): readonly MessagePart[] | null {
  if (part['type'] === 'text') return typeof part['text'] === 'string' ? Part.text(part['text']) : null;
  const file = fileIn(part);
  return file === null ? null : [file];
}

/** A file of 1.0 (`source`), or the `binary` part of earlier versions. */
function fileIn({ type, source, mimeType, filename, url, data }: Fields): FilePart | null {
  if (isPlainObject(source)) {
    const { value, mimeType: mediaType } = source;
    return Part.file(source['type'] === 'url' ? { mediaType, url: value } : { mediaType, data: value });
  }
  return type === 'binary' ? Part.file({ mediaType: mimeType, filename, url, data }) : null;
}
