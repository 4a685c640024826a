import type { FilePart, Message, MessagePart } from '@vitrine/core/internal/graph/message';
import { toolResultText } from '@vitrine/core/internal/graph/tool-execution';
import type { JsonObject } from '@vitrine/core/internal/kit/json';

/** Messages as messages of OpenAI's chat completions. Reasoning, sources and data have no place there. */
export function openAiMessages(messages: readonly Message[]): readonly JsonObject[] {
  return messages.flatMap(({ role, parts }): readonly JsonObject[] => {
    if (role === 'tool') return parts.flatMap(resultOf);
    if (role === 'system') return [{ role, content: textOf(parts) }];
    if (role === 'user') return [{ role, content: contentOf(parts) }];
    const calls = parts.flatMap(callOf);
    const text = textOf(parts);
    if (calls.length === 0) return text === '' ? [] : [{ role, content: text }];
    return [{ role, content: text === '' ? null : text, tool_calls: calls }];
  });
}

function textOf(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function contentOf(parts: readonly MessagePart[]): string | readonly JsonObject[] {
  if (!parts.some(({ type }) => type === 'file')) return textOf(parts);
  return parts.flatMap((part): readonly JsonObject[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    return part.type === 'file' ? [fileOf(part)] : [];
  });
}

function fileOf(file: FilePart): JsonObject {
  const { mediaType, data, url, filename } = file;
  if (data === undefined && url === undefined) return { type: 'text', text: absentFile(file) };
  const address = url ?? `data:${mediaType};base64,${data ?? ''}`;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url: address } };
  const format = /^audio\/(?:x-)?(wav|mpeg|mp3)$/.exec(mediaType)?.[1];
  if (format !== undefined && data !== undefined)
    return { type: 'input_audio', input_audio: { data, format: format === 'wav' ? 'wav' : 'mp3' } };
  // A file is given as its bytes only.
  if (data === undefined) return { type: 'text', text: `${filename ?? 'File'}: ${address}` };
  return { type: 'file', file: { filename: filename ?? 'file', file_data: address } };
}

/** The words for a file whose bytes are in a store. */
export function absentFile({ filename, mediaType }: FilePart): string {
  return `[File ${filename ?? mediaType}: its bytes are in the store of the session]`;
}

function callOf(part: MessagePart): readonly JsonObject[] {
  if (part.type !== 'tool-call') return [];
  const { toolCallId: id, toolName: name, input } = part;
  return [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }];
}

function resultOf(part: MessagePart): readonly JsonObject[] {
  if (part.type !== 'tool-result') return [];
  return [{ role: 'tool', tool_call_id: part.toolCallId, content: toolResultText(part.output) }];
}
