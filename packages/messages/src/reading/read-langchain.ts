import type { MessagePart } from '@vitrine/core/internal/graph/message';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import * as Part from './part.ts';
import { anthropicPart } from './read-anthropic.ts';
import { openAiPart } from './read-openai.ts';
import { type Fields, type FoundMessage, listOf, type ReadMessages, type Import } from './reading.ts';

const roles: Readonly<Record<string, FoundMessage['role']>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
};

/** Reads messages of LangChain and LangGraph: plain ones, stored ones (`data`), and serialised ones (`lc: 1`). */
export const readLangChain: ReadMessages = (list, reading, at = '') =>
  reading.entriesOf(list, at).flatMap(([given, place]): readonly FoundMessage[] => {
    const { type, fields, where } = unwrapMessage(given, place);
    const named = type === 'generic' || type === 'chat' ? fields['role'] : type;
    const role = typeof named === 'string' && Object.hasOwn(roles, named) ? roles[named] : undefined;
    if (role === undefined) return reading.leaveUnknown(place, 'type', named);
    const { id, name } = fields;
    reading.leaveOthers(fields, where, ['content', 'text', 'tool_calls']);
    const metadata = typeof name === 'string' && role !== 'tool' ? { metadata: { name } } : {};
    const parts = role === 'tool' ? resultOf(fields, where, reading) : saidIn(fields, where, reading);
    return [{ at: place, role, id, ...metadata, parts }];
  });

type Unwrapped = { readonly type: unknown; readonly fields: Fields; readonly where: string };

function unwrapMessage(given: Fields, at: string): Unwrapped {
  const { lc, id, kwargs, data, type, role, text } = given;
  if (lc === 1 && isPlainObject(kwargs)) {
    const name = Array.isArray(id) ? String(id.at(-1)) : '';
    const isMessage = /^(Human|AI|System|Tool|Function|Chat)Message(Chunk)?$/.exec(name);
    return { type: isMessage?.[1]?.toLowerCase() ?? name, fields: kwargs, where: `${at}.kwargs` };
  }
  if (isPlainObject(data)) return { type, fields: data, where: `${at}.data` };
  // The oldest stored form, and one with a role in place of a type.
  const fields =
    given['content'] === undefined && typeof text === 'string' ? { ...given, content: text } : given;
  return { type: type ?? role, fields, where: at };
}

function saidIn(fields: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { tool_calls: calls, invalid_tool_calls: invalid, additional_kwargs: more } = fields;
  const extra = isPlainObject(more) ? more : {};
  const own = listOf(calls);
  const raw = own.length > 0 ? [] : listOf(extra['tool_calls']);
  const broken = raw.length > 0 ? [] : listOf(invalid);
  const { function_call: legacy } = extra;
  const isNamed = isPlainObject(legacy) && own.length + raw.length + broken.length === 0;
  // A call stands in the content once more, in the words of its provider.
  const ids = new Set([...own, ...broken].map((call) => (isPlainObject(call) ? call['id'] : null)));
  const read = (call: unknown, place: string): readonly MessagePart[] => {
    if (!isPlainObject(call)) return reading.leave(place, 'tool-call', 'It is no call.');
    const made = isPlainObject(call['function'])
      ? { name: call['function']['name'], input: call['function']['arguments'] }
      : { name: call['name'], input: call['args'] };
    if (typeof made.name !== 'string')
      return reading.leave(place, 'tool-call', 'It names no function, so nothing can be called.');
    return [Part.call({ id: call['id'], ...made })];
  };
  return [
    ...Part.text(extra['reasoning_content'], 'reasoning'),
    ...reading.partsOf(fields['content'], `${at}.content`, (block, place) =>
      ids.has(block['id']) && isCallBlock(block) ? [] : blockOf(block, place, reading),
    ),
    ...Part.text(extra['refusal']),
    ...reading.each(own, `${at}.tool_calls`, read),
    ...reading.each(raw, `${at}.additional_kwargs.tool_calls`, read),
    ...reading.each(broken, `${at}.invalid_tool_calls`, read),
    ...(isNamed ? [Part.call({ id: '', name: legacy['name'], input: legacy['arguments'] })] : []),
  ];
}

function isCallBlock({ type }: Fields): boolean {
  return (
    type === 'tool_use' || type === 'tool_call' || type === 'function_call' || type === 'input_json_delta'
  );
}

function blockOf(block: Fields, at: string, reading: Import): readonly MessagePart[] | null {
  const { type } = block;
  if (type === 'reasoning') {
    const summary = reading.textIn(block['summary'], `${at}.summary`);
    return Part.text(typeof block['reasoning'] === 'string' ? block['reasoning'] : summary, 'reasoning');
  }
  if (type === 'tool_call')
    return [Part.call({ id: block['id'], name: block['name'], input: block['args'] })];
  if (type === 'text-plain' && typeof block['text'] === 'string')
    return [Part.textFile(block['text'], block['title'])];
  const isFile = type === 'image' || type === 'audio' || type === 'video' || type === 'file';
  if (isFile && !isPlainObject(block['source']) && !isPlainObject(block['file']))
    return fileOf(block, at, reading);
  return openAiPart(block, at, reading) ?? anthropicPart(block, at, reading);
}

/** A file in the words that LangChain has for all providers, in JavaScript and in Python. */
function fileOf(block: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { type, url, metadata } = block;
  const facts = isPlainObject(metadata) ? metadata : {};
  const file = {
    mediaType: block['mimeType'] ?? block['mime_type'] ?? (type === 'file' ? undefined : `${String(type)}/*`),
    data: block['data'] ?? block['base64'],
    url,
    filename: block['filename'] ?? facts['filename'] ?? facts['name'],
  };
  return reading.keepFile(Part.file(file), at);
}

function resultOf(fields: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { content, tool_call_id: id, name, status, artifact } = fields;
  if (artifact !== undefined && artifact !== null)
    reading.leave(`${at}.artifact`, 'artifact', 'It is data of the application that the model never had.');
  const text = reading.textIn(content, `${at}.content`);
  return [Part.result({ id, name, output: Part.resultValue(text), isError: status === 'error' })];
}
