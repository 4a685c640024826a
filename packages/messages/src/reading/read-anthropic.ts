import type { MessagePart } from '@vitrine/core/internal/graph/message';
import { isPlainObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import * as Part from './part.ts';
import {
  type Fields,
  type FoundMessage,
  noPlace,
  type ReadMessages,
  type Import,
  timeOf,
} from './reading.ts';

/** Reads messages of Anthropic's Messages API. Results, which it puts into messages of the user, become messages. */
export const readAnthropic: ReadMessages = (list, reading, at = '') =>
  reading.entriesOf(list, at).flatMap(([message, place]): readonly FoundMessage[] => {
    const { role, id, created_at: createdAt, content } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      return reading.leaveUnknown(place, 'role', role);
    reading.leaveOthers(message, place, ['content']);
    const parts = reading.partsOf(content, `${place}.content`, anthropicPart);
    return [{ at: place, role, id, createdAt: timeOf(createdAt), parts }];
  });

/** A block of a content; null for an unknown one. */
export function anthropicPart(block: Fields, at: string, reading: Import): readonly MessagePart[] | null {
  const { type } = block;
  switch (type) {
    case 'text':
      return [...Part.text(block['text']), ...citationsOf(block['citations'], `${at}.citations`, reading)];
    case 'thinking': {
      const { thinking, signature } = block;
      const signed = typeof signature === 'string' ? { providerMetadata: { anthropic: { signature } } } : {};
      return [{ type: 'reasoning', text: typeof thinking === 'string' ? thinking : '', ...signed }];
    }
    case 'redacted_thinking':
      return [
        {
          type: 'reasoning',
          text: '',
          providerMetadata: { anthropic: { redactedData: toJson(block['data'] ?? '') } },
        },
      ];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [Part.call({ id: block['id'], name: block['name'], input: block['input'] })];
    case 'image':
    case 'document':
      return documentOf(block, at, reading);
    default:
      // `tool_result`, and those of the provider's own tools: `web_search_tool_result` and others.
      return typeof type === 'string' && type.endsWith('tool_result') ? [resultOf(block, at, reading)] : null;
  }
}

function citationsOf(citations: unknown, at: string, reading: Import): readonly MessagePart[] {
  return reading.each(citations, at, (citation, place) => {
    const { url, title, type } = isPlainObject(citation) ? citation : {};
    const source = typeof url === 'string' ? Part.source({ url, title }) : null;
    return source === null
      ? reading.leave(place, type, 'Only citations with an address are kept.')
      : [source];
  });
}

function documentOf(block: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { source, title, context } = block;
  if (typeof context === 'string' && context !== '') reading.leave(`${at}.context`, 'context', noPlace);
  if (!isPlainObject(source)) return reading.leave(at, block['type'], 'It has no source.');
  const { type, data } = source;
  if (type === 'text' && typeof data === 'string') return [Part.textFile(data, title)];
  if (type === 'content')
    return reading.partsOf(source['content'], `${at}.source.content`, (inner, where) =>
      inner['type'] === 'text' ? Part.text(inner['text']) : documentPart(inner, where, reading),
    );
  return documentPart(block, at, reading, title);
}

function documentPart(
  block: Fields,
  at: string,
  reading: Import,
  filename?: unknown,
): readonly MessagePart[] {
  const { source } = block;
  const { data, url, media_type: mediaType } = isPlainObject(source) ? source : {};
  const usual = block['type'] === 'image' ? 'image/*' : 'application/pdf';
  return reading.keepFile(Part.file({ data, url, mediaType: mediaType ?? usual, filename }), at);
}

/** The result of a call: the text of its blocks, or the value of a tool of the provider. */
function resultOf(block: Fields, at: string, reading: Import): MessagePart {
  const { tool_use_id: id, name, content, is_error: isError } = block;
  return Part.result({ id, name, output: outputOf(content, at, reading), isError: isError === true });
}

function outputOf(content: unknown, at: string, reading: Import): JsonValue {
  if (typeof content === 'string') return Part.resultValue(content);
  const isText =
    Array.isArray(content) && content.some((one) => isPlainObject(one) && one['type'] === 'text');
  if (isText) return Part.resultValue(reading.textIn(content, `${at}.content`));
  const isFile = (one: unknown): boolean =>
    isPlainObject(one) && (one['type'] === 'image' || one['type'] === 'document');
  if (!Array.isArray(content) || !content.some(isFile)) return toJson(content ?? null);
  // Their bytes would go to the model as text.
  const rest = content.filter((one: unknown, index) => {
    if (!isFile(one)) return true;
    reading.leave(`${at}.content[${index}]`, 'file', 'A result holds a text or JSON, and no file.');
    return false;
  });
  return toJson(rest);
}
