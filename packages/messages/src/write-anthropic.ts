import type { FilePart, Message, MessagePart } from '@vitrine/core/internal/graph/message';
import { toolResultText } from '@vitrine/core/internal/graph/tool-execution';
import { fromBase64 } from '@vitrine/core/internal/kit/hash';
import { isPlainObject, type JsonObject } from '@vitrine/core/internal/kit/json';
import { absentFile } from './write-openai.ts';

type Turn = { readonly role: 'user' | 'assistant'; readonly content: readonly JsonObject[] };

/**
 * Messages as the body of a request to Anthropic: turns that alternate, results in turns of the user. Reasoning without
 * its signature, sources and data have no place there.
 */
export function anthropicMessages(messages: readonly Message[]): {
  readonly system?: string;
  readonly messages: readonly JsonObject[];
} {
  const turns: Turn[] = [];
  for (const { role, parts } of messages) {
    if (role === 'system') continue;
    const own = role === 'assistant' ? role : 'user';
    const content = parts.flatMap(blockOf);
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (last?.role === own) turns[turns.length - 1] = { role: own, content: [...last.content, ...content] };
    else turns.push({ role: own, content });
  }
  const system = messages
    .filter(({ role }) => role === 'system')
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n\n');
  return { ...(system === '' ? {} : { system }), messages: turns };
}

function blockOf(part: MessagePart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      // Blank texts are refused.
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return thinkingOf(part);
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part;
      // The input has to be an object.
      return [{ type: 'tool_use', id, name, input: isPlainObject(input) ? input : { input } }];
    }
    case 'tool-result': {
      const { toolCallId, output, outcome } = part;
      const content = toolResultText(output);
      const failed = outcome === 'completed' ? {} : { is_error: true };
      return [{ type: 'tool_result', tool_use_id: toolCallId, content, ...failed }];
    }
    case 'file':
      return [fileOf(part)];
    default:
      return [];
  }
}

function thinkingOf({
  text,
  providerMetadata,
}: Extract<MessagePart, { type: 'reasoning' }>): readonly JsonObject[] {
  const { signature, redactedData } = (providerMetadata?.['anthropic'] ?? {}) as JsonObject;
  if (typeof redactedData === 'string') return [{ type: 'redacted_thinking', data: redactedData }];
  return typeof signature === 'string' ? [{ type: 'thinking', thinking: text, signature }] : [];
}

function fileOf(file: FilePart): JsonObject {
  const { mediaType, data, url, filename } = file;
  const isImage = mediaType.startsWith('image/');
  const title = !isImage && filename !== null ? { title: filename } : {};
  if (url !== undefined && (isImage || mediaType === 'application/pdf'))
    return { type: isImage ? 'image' : 'document', source: { type: 'url', url }, ...title };
  if (url !== undefined) return { type: 'text', text: `${filename ?? 'File'}: ${url}` };
  if (data === undefined) return { type: 'text', text: absentFile(file) };
  if (mediaType.startsWith('text/')) {
    const text = decodeText(data);
    if (text !== null)
      return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...title };
  }
  if (!isImage && mediaType !== 'application/pdf')
    return { type: 'text', text: `[File ${filename ?? mediaType}: Anthropic takes no files of this kind]` };
  return {
    type: isImage ? 'image' : 'document',
    source: { type: 'base64', media_type: mediaType, data },
    ...title,
  };
}

/** The text in the bytes of a file; null for bytes that are no text. */
function decodeText(data: string): string | null {
  const bytes = fromBase64(data);
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
