import type { MessagePart } from '@vitrine/core/internal/graph/message';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import * as Part from './part.ts';
import {
  type Fields,
  type FoundMessage,
  noBytes,
  placeId,
  type ReadMessages,
  type Import,
} from './reading.ts';

/** Calls that have no result yet, oldest first: Gemini often names the function alone. */
type OpenCalls = { readonly id: string; readonly name: unknown }[];

/** Reads contents of Gemini: the history of a chat, and the `contents` of a request. */
export const readGemini: ReadMessages = (list, reading, at = '') => {
  const open: OpenCalls = [];
  return reading.entriesOf(list, at).flatMap(([content, place]): readonly FoundMessage[] => {
    const { role = 'user' } = content;
    const ours = role === 'model' ? 'assistant' : role === 'function' || role === 'tool' ? 'user' : role;
    if (ours !== 'user' && ours !== 'assistant' && ours !== 'system')
      return reading.leaveUnknown(place, 'role', role);
    reading.leaveOthers(content, place, ['parts']);
    const parts = reading.partsOf(content['parts'], `${place}.parts`, (part, where) =>
      geminiPart(part, where, reading, open),
    );
    return [{ at: place, role: ours, parts }];
  });
};

function geminiPart(
  part: Fields,
  at: string,
  reading: Import,
  open: OpenCalls,
): readonly MessagePart[] | null {
  const either = (camel: string, snake: string): unknown => part[camel] ?? part[snake];
  const signature = either('thoughtSignature', 'thought_signature');
  const signed =
    typeof signature === 'string' ? { providerMetadata: { google: { thoughtSignature: signature } } } : {};
  if (typeof part['text'] === 'string') {
    const type = part['thought'] === true ? 'reasoning' : 'text';
    const isEmpty = part['text'] === '' && typeof signature !== 'string';
    return isEmpty ? [] : [{ type, text: part['text'], ...signed }];
  }
  const inline = either('inlineData', 'inline_data');
  const stored = either('fileData', 'file_data');
  const bytes = isPlainObject(inline) ? inline : isPlainObject(stored) ? stored : null;
  if (bytes !== null) {
    const file = Part.file({
      mediaType: bytes['mimeType'] ?? bytes['mime_type'],
      data: bytes['data'],
      url: bytes['fileUri'] ?? bytes['file_uri'],
      filename: bytes['displayName'] ?? bytes['display_name'],
    });
    return file === null ? reading.leave(at, 'file', noBytes) : [{ ...file, ...signed }];
  }
  const call = either('functionCall', 'function_call');
  if (isPlainObject(call)) {
    const id = typeof call['id'] === 'string' ? call['id'] : placeId(at);
    open.push({ id, name: call['name'] });
    return [{ ...Part.call({ id, name: call['name'], input: call['args'] }), ...signed }];
  }
  const answer = either('functionResponse', 'function_response');
  if (isPlainObject(answer)) return [readAnswer(answer, at, reading, open)];
  return codePart(part, at);
}

function readAnswer(answer: Fields, at: string, reading: Import, open: OpenCalls): MessagePart {
  const { id, name, response, parts } = answer;
  const isOfCall = (call: OpenCalls[number]): boolean =>
    typeof id === 'string' ? call.id === id : call.name === name;
  const place = open.findIndex(isOfCall);
  const [call] = place < 0 ? [] : open.splice(place, 1);
  if (Array.isArray(parts) && parts.length > 0)
    reading.leave(`${at}.parts`, 'file', 'A result holds a text or JSON, and no file.');
  return Part.result({ id: call?.id ?? id, name, output: toJson(response ?? null) });
}

/** Code that the provider ran itself, as a call with its result. */
function codePart(part: Fields, at: string): readonly MessagePart[] | null {
  const code = part['executableCode'] ?? part['executable_code'];
  const result = part['codeExecutionResult'] ?? part['code_execution_result'];
  if (isPlainObject(code)) return [Part.call({ id: codeId(at, 0), name: 'code_execution', input: code })];
  if (!isPlainObject(result)) return null;
  const isError = result['outcome'] !== 'OUTCOME_OK';
  return [Part.result({ id: codeId(at, -1), name: 'code_execution', output: toJson(result), isError })];
}

/** The id of the code at a place; a result stands behind its code. */
function codeId(at: string, step: number): string {
  const index = Number(/\[(\d+)\]$/.exec(at)?.[1] ?? 0);
  return placeId(`${at.slice(0, at.lastIndexOf('['))}[${index + step}]`);
}
