import * as AgentState from '../../graph/agent-state/accessors.ts';
import { type Env, systemEnv } from '../../graph/env.ts';
import type { FilePart, Message, MessagePart, ToolResultPart } from '../../graph/message.ts';
import { normalizeMessage } from '../../graph/normalize-message.ts';
import { toolErrorPrefix, toolResultText } from '../../graph/tool-execution.ts';
import type { AgentState as State } from '../../graph/types.ts';
import { isUuid } from '../../kit/ids.ts';
import { equalJson, isPlainObject, type JsonObject, type JsonValue, readJson } from '../../kit/json.ts';
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
  return messages.flatMap((message) => {
    const native = nativeOf(message);
    const kept = keptOf(message, native);
    return native.map((one, index) => (index === native.length - 1 ? { ...one, metadata: kept } : one));
  });
}

/** The fields that AG-UI does not say, with the parts of a message that would not come back as they were. */
function keptOf(message: Message, native: readonly AgUiMessage[]): JsonObject {
  const { parts, metadata, createdAt, parentId } = message;
  const again = native.flatMap((one) => partsOf(one, () => ''));
  const isSaid = equalJson(again, parts as unknown as JsonValue);
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
 * that are no UUIDs become new ones, the same for a call and its result. Anything that is no message is left out.
 */
export function importAgUiMessages(messages: unknown, env: Env = systemEnv): Message[] {
  if (!Array.isArray(messages)) return [];
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const idOf = (given: string): string => {
    if (isUuid(given)) return given;
    const id = ids.get(given) ?? env.id();
    ids.set(given, id);
    return id;
  };
  const taken = new Set<string>();
  let reasoning: MessagePart[] = [];
  return Array.from(messages, (raw: unknown) => raw).flatMap((raw): Message[] => {
    if (!isPlainObject(raw)) return [];
    const parts = partsOf(raw, (toolCallId) => names.get(toolCallId) ?? '');
    if (raw['role'] === 'reasoning') {
      reasoning = [...reasoning, ...parts];
      return [];
    }
    const message = importedOf(raw, [...reasoning, ...parts], env);
    reasoning = [];
    if (message === null) return [];
    for (const part of message.parts)
      if (part.type === 'tool-call') names.set(part.toolCallId, part.toolName);
    const given = typeof raw['id'] === 'string' ? idOf(raw['id']) : env.id();
    const id = taken.has(given) ? env.id() : given;
    taken.add(id);
    return [{ ...message, id, parts: message.parts.map((part) => withOwnIds(part, idOf)) }];
  });
}

/** The message with the kept fields of this library, as far as they say the same as the message itself. */
function importedOf(
  raw: { readonly [key: string]: unknown },
  parts: MessagePart[],
  env: Env,
): Message | null {
  const given = raw['role'] === 'developer' ? 'system' : raw['role'];
  const role = ['system', 'user', 'assistant', 'tool'].find((known) => known === given);
  if (role === undefined) return null;
  const kept = isPlainObject(raw['metadata']) ? raw['metadata'][own] : undefined;
  const said = isPlainObject(kept) ? kept : {};
  const whole = normalizeMessage(
    { id: env.id(), role, ...said, parts: withBytes(said['parts'], parts) },
    env,
  );
  return said['parts'] === undefined || saysSame(whole, raw, parts)
    ? whole
    : normalizeMessage({ id: env.id(), role, ...said, parts }, env);
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
function saysSame(
  whole: Message,
  raw: { readonly [key: string]: unknown },
  parts: readonly MessagePart[],
): boolean {
  const again = nativeOf({ ...whole, id: String(raw['id']) });
  const said = again.flatMap((one) => partsOf(one, (id) => nameIn(whole, id)));
  const now = parts.map((part) =>
    part.type === 'tool-result' ? { ...part, toolName: nameIn(whole, part.toolCallId) } : part,
  );
  return equalJson(said as unknown as JsonValue, now as unknown as JsonValue);
}

function nameIn({ parts }: Message, toolCallId: string): string {
  const part = parts.find((one) => one.type === 'tool-result' && one.toolCallId === toolCallId);
  return part?.type === 'tool-result' ? part.toolName : '';
}

/** The parts that a message of AG-UI says by itself. */
function partsOf(raw: { readonly [key: string]: unknown }, nameOf: (id: string) => string): MessagePart[] {
  const { role, content, toolCalls } = raw;
  if (role === 'reasoning') return typeof content === 'string' ? [{ type: 'reasoning', text: content }] : [];
  if (role === 'tool') return resultIn(raw, nameOf);
  const text = Array.isArray(content) ? content.flatMap(partIn) : textIn(content);
  return [...text, ...(role === 'assistant' && Array.isArray(toolCalls) ? toolCalls.flatMap(callIn) : [])];
}

function textIn(content: unknown): MessagePart[] {
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}

function resultIn(raw: { readonly [key: string]: unknown }, nameOf: (id: string) => string): MessagePart[] {
  const { toolCallId, content, error } = raw;
  if (typeof toolCallId !== 'string') return [];
  const text = contentText(content);
  const isFailed = typeof error === 'string' || text.startsWith(toolErrorPrefix);
  const output = isFailed ? text || String(error) : resultValue(text);
  const outcome = isFailed ? 'failed' : 'completed';
  return [
    { type: 'tool-result', toolCallId, toolName: nameOf(toolCallId), output, outcome, durationMs: null },
  ];
}

/** The text of a content, which may be a list of parts. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? '');
  return content
    .flatMap(partIn)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

/** The value of a result: an object or list when its text is one, else the text. */
export function resultValue(text: string): JsonValue {
  const json = /^\s*[[{]/.test(text) ? readJson(text) : null;
  return json?.ok ? json.value : text;
}

function callIn(call: unknown): MessagePart[] {
  if (!isPlainObject(call) || typeof call['id'] !== 'string' || !isPlainObject(call['function'])) return [];
  const { name, arguments: given } = call['function'];
  const input = argumentsOf(given);
  return [{ type: 'tool-call', toolCallId: call['id'], toolName: String(name), input, providerCallId: null }];
}

/** The arguments of a call. What is no JSON stays text, as from a model. */
export function argumentsOf(given: unknown): JsonValue {
  if (typeof given !== 'string' || given.trim() === '') return {};
  const json = readJson(given);
  return json.ok ? json.value : given;
}

function partIn(part: unknown): MessagePart[] {
  if (!isPlainObject(part)) return [];
  if (part['type'] === 'text')
    return typeof part['text'] === 'string' ? [{ type: 'text', text: part['text'] }] : [];
  return fileIn(part);
}

/** A file of 1.0 (`source`), or the `binary` part of earlier versions. */
function fileIn(part: { readonly [key: string]: unknown }): FilePart[] {
  const { source, mimeType, filename = null } = part;
  if (isPlainObject(source) && typeof source['value'] === 'string') {
    const mediaType =
      typeof source['mimeType'] === 'string' ? source['mimeType'] : 'application/octet-stream';
    const where = source['type'] === 'url' ? { url: source['value'] } : { data: source['value'] };
    return [{ type: 'file', mediaType, ...where, filename: null }];
  }
  if (part['type'] !== 'binary' || typeof mimeType !== 'string') return [];
  const where = typeof part['url'] === 'string' ? { url: part['url'] } : { data: String(part['data'] ?? '') };
  return [
    { type: 'file', mediaType: mimeType, ...where, filename: typeof filename === 'string' ? filename : null },
  ];
}

function withOwnIds(part: MessagePart, idOf: (given: string) => string): MessagePart {
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return part;
  const toolCallId = idOf(part.toolCallId);
  if (part.type === 'tool-result' || toolCallId === part.toolCallId) return { ...part, toolCallId };
  return { ...part, toolCallId, providerCallId: part.providerCallId ?? part.toolCallId };
}
