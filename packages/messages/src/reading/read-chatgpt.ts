import type { MessagePart } from '@vitrine/core/internal/graph/message';
import { isPlainObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import * as Part from './part.ts';
import {
  type Fields,
  type FoundMessage,
  type FoundSession,
  listOf,
  noPlace,
  type ReadSessions,
  type Import,
  timeOf,
} from './reading.ts';

const notInExport = 'The file of an export names it, and has it beside this file.';

/** Reads the conversations of an export of ChatGPT: one session each, with all edits and regenerated answers. */
export const readChatGpt: ReadSessions = (list, reading) =>
  reading.entriesOf(list, '', 'conversation').map(([conversation, at]): FoundSession => {
    const { mapping, title, create_time: createdAt, update_time: updatedAt } = conversation;
    const { current_node: head } = conversation;
    const nodes = isPlainObject(mapping) ? mapping : {};
    const { messages, kept } = messagesIn(nodes, `${at}.mapping`, createdAt, reading);
    return {
      at,
      id: conversation['conversation_id'] ?? conversation['id'],
      title,
      createdAt,
      updatedAt,
      head: typeof head === 'string' ? (kept.get(head) ?? null) : null,
      messages,
    };
  });

/** A node that is still to be read, with the message above it and the call that a result answers. */
type Visit = {
  readonly id: string;
  readonly parentId: string | null;
  readonly call: string | null;
  readonly time: unknown;
};

type Found = {
  readonly messages: readonly FoundMessage[];
  /** The message of each node, or the one above it for a node without one. */
  readonly kept: ReadonlyMap<string, string | null>;
};

/** The messages of the tree, each behind its parent. Nodes that no root leads to are left out. */
function messagesIn(nodes: Fields, at: string, begun: unknown, reading: Import): Found {
  const messages: FoundMessage[] = [];
  const kept = new Map<string, string | null>();
  const has = (id: unknown): id is string => typeof id === 'string' && Object.hasOwn(nodes, id);
  const nodeAt = (id: string): Fields => (isPlainObject(nodes[id]) ? nodes[id] : {});
  const children = new Map<string | null, string[]>();
  for (const id of Object.keys(nodes)) {
    const { parent } = nodeAt(id);
    const above = has(parent) ? parent : null;
    const beside = children.get(above) ?? [];
    beside.push(id);
    children.set(above, beside);
  }
  // The order of the answers to one message is that of `children`, where the export has it.
  const open: Visit[] = (children.get(null) ?? [])
    .map((id) => ({ id, parentId: null, call: null, time: begun }))
    .reverse();
  while (open.length > 0) {
    const { id, parentId, call, time } = open.pop() as Visit;
    if (kept.has(id)) continue;
    const node = nodeAt(id);
    const read = messageOf(node['message'], { id, at: `${at}.${id}`, call, reading });
    const isKept = read !== null && read.parts.length > 0;
    const own = isKept ? id : parentId;
    const since = read?.createdAt ?? timeOf(time);
    if (isKept) messages.push({ ...read, id, createdAt: since, parentId });
    kept.set(id, own);
    const next = { parentId: own, call: callAfter(read, call, id), time: since };
    const below = orderIds(children.get(id) ?? [], node['children']);
    for (const child of [...below].reverse()) open.push({ id: child, ...next });
  }
  for (const id of Object.keys(nodes))
    if (!kept.has(id)) reading.leave(`${at}.${id}`, 'message', 'No message leads to it, so it has no place.');
  return { messages, kept };
}

function orderIds(ids: readonly string[], order: unknown): readonly string[] {
  if (ids.length < 2 || !Array.isArray(order)) return ids;
  const places = new Map(order.map((id: unknown, index) => [id, index]));
  const placeOf = (id: string): number => places.get(id) ?? order.length;
  return [...ids].sort((a, b) => placeOf(a) - placeOf(b));
}

/** The call that a tool's message below a node answers: that of the node, or the one above while no result is there. */
function callAfter(read: FoundMessage | null, call: string | null, id: string): string | null {
  if (read === null) return call;
  if (read.parts.some(({ type }) => type === 'tool-call')) return id;
  return read.role === 'assistant' && read.parts.every(({ type }) => type === 'reasoning') ? call : null;
}

type Place = {
  readonly id: string;
  readonly at: string;
  readonly call: string | null;
  readonly reading: Import;
};

/** The message of a node; null for one without a message. */
function messageOf(message: unknown, place: Place): FoundMessage | null {
  const { at, reading } = place;
  if (message === null || message === undefined) return null;
  if (!isPlainObject(message)) {
    reading.leave(`${at}.message`, 'message', 'It is no object.');
    return null;
  }
  const { author, content, create_time: createdAt, metadata, recipient } = message;
  const { role, name } = isPlainObject(author) ? author : ({} as Fields);
  const given = isPlainObject(content) ? content : {};
  const facts = isPlainObject(metadata) ? metadata : {};
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool') {
    reading.leaveUnknown(`${at}.message`, 'role', role);
    return null;
  }
  const read = partsIn(given, `${at}.message.content`, reading);
  const parts =
    role === 'tool'
      ? resultOf(read, given, name, place)
      : role === 'assistant' && typeof recipient === 'string' && recipient !== 'all'
        ? callOf(read, given, recipient, place.id)
        : read;
  const { model_slug: model } = facts;
  // Custom instructions of a person are a message of theirs; they instruct as a system message does.
  const isOrder = given['content_type'] === 'user_editable_context';
  return {
    at: `${at}.message`,
    role: isOrder ? 'system' : role,
    createdAt: timeOf(createdAt),
    parts: [...parts, ...beside(facts, `${at}.message.metadata`, reading)],
    ...(typeof model === 'string' ? { metadata: { model } } : {}),
  };
}

/** The attachments and citations of a message, which stand beside its content. */
function beside(facts: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { attachments, content_references: references, citations } = facts;
  for (const [index, file] of listOf(attachments).entries()) {
    const name =
      isPlainObject(file) && typeof file['name'] === 'string' ? ` Its name is ${file['name']}.` : '';
    reading.leave(`${at}.attachments[${index}]`, 'file', `${notInExport}${name}`);
  }
  const cited = listOf(references).length > 0 ? listOf(references) : listOf(citations);
  const seen = new Set<string>();
  return cited.flatMap((entry): readonly MessagePart[] => {
    const fields = isPlainObject(entry) ? entry : {};
    const from = isPlainObject(fields['metadata']) ? fields['metadata'] : fields;
    return [from, ...listOf(fields['items'])].flatMap((one): readonly MessagePart[] => {
      const { url, title } = isPlainObject(one) ? one : ({} as Fields);
      const source = typeof url === 'string' && !seen.has(url) ? Part.source({ url, title }) : null;
      if (source === null) return [];
      seen.add(String(url));
      return [source];
    });
  });
}

function partsIn(content: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { content_type: type, text, result, summary } = content;
  const listParts = (): readonly MessagePart[] => reading.partsOf(content['parts'], `${at}.parts`, partOf);
  switch (type) {
    case 'text':
    case 'multimodal_text':
      return listParts();
    case 'code':
    case 'execution_output':
    case 'system_error':
      return Part.text(
        typeof text === 'string'
          ? text
          : listOf(content['parts'])
              .filter((part) => typeof part === 'string')
              .join('\n'),
      );
    case 'tether_browsing_display':
      return Part.text(joinTexts([summary, result], '\n'));
    case 'tether_quote': {
      const source = Part.source(content);
      return [...Part.text(text), ...(source === null ? [] : [source])];
    }
    case 'thoughts':
      return listOf(content['thoughts']).flatMap((thought) => {
        const { summary: head, content: body } = isPlainObject(thought) ? thought : ({} as Fields);
        return Part.text(joinTexts([head, body], '\n\n'), 'reasoning');
      });
    case 'reasoning_recap':
      return Part.text(content['content'], 'reasoning');
    case 'user_editable_context':
      return [...Part.text(content['user_profile']), ...Part.text(content['user_instructions'])];
    case 'model_editable_context':
      return Part.text(content['model_set_context']);
    default:
      if (Array.isArray(content['parts'])) return listParts();
      return typeof text === 'string' && text !== '' ? Part.text(text) : reading.leave(at, type, noPlace);
  }
}

function joinTexts(texts: readonly unknown[], between: string): string {
  return texts.filter((text) => typeof text === 'string' && text !== '').join(between);
}

function partOf(part: Fields, at: string, reading: Import): readonly MessagePart[] | null {
  const { content_type: type, text } = part;
  if (type === 'audio_transcription') return Part.text(text);
  if (typeof type === 'string' && type.endsWith('asset_pointer')) return reading.leave(at, type, notInExport);
  return typeof text === 'string' ? Part.text(text) : null;
}

/** A message to a tool, which is a call: its text is the arguments, or the code. */
function callOf(
  read: readonly MessagePart[],
  { content_type: type, language }: Fields,
  recipient: string,
  id: string,
): readonly MessagePart[] {
  const text = textOf(read);
  const json = Part.resultValue(text);
  const isCode = type === 'code' && typeof json === 'string';
  const code = { code: text, ...(typeof language === 'string' ? { language } : {}) };
  const call = Part.call({ id, name: recipient, input: isCode ? code : json });
  return [...read.filter((part) => part.type !== 'text'), call];
}

/** The message of a tool. A second one for the same call stands alone, because a call has one result. */
function resultOf(
  read: readonly MessagePart[],
  { content_type: type }: Fields,
  name: unknown,
  { id, call }: Place,
): readonly MessagePart[] {
  const output: JsonValue = Part.resultValue(textOf(read));
  const isError = type === 'system_error';
  const result = Part.result({ id: call ?? id, name, output: toJson(output), isError });
  return [result, ...read.filter((part) => part.type !== 'text')];
}

function textOf(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
