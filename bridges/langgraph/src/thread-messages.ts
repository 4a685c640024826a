import type { Message } from '@vitrine/core/internal/graph/message';
import { type JsonObject, readJson } from '@vitrine/core/internal/kit/json';
import { textOf } from '@vitrine/core/internal/kit/text';
import { contentText, nativeOf } from '@vitrine/messages/internal/ag-ui/messages';
import type { AgUiContentPart, AgUiMessage } from '@vitrine/messages/internal/ag-ui/protocol';
import { backendIdOf } from '@vitrine/ag-ui/internal/remote/remote-step';
import { type Foreign, foreign, listOf } from '@vitrine/inspect/internal/foreign/foreign-values';

/** Messages in the words of LangChain, with the ids that the backend knows. */
export function threadMessages(messages: readonly Message[]): readonly JsonObject[] {
  return toNative(messages).flatMap(messageOf);
}

/** Messages in the words of AG-UI, with the ids that the backend knows. */
export function toNative(messages: readonly Message[]): readonly AgUiMessage[] {
  return messages.flatMap((message) => nativeOf({ ...message, id: backendIdOf(message) }));
}

/** A message of the state of a graph in the words of AG-UI; none for one that is no object. */
export function toldMessages(given: unknown): readonly Foreign[] {
  const { id, type, role, content, status, tool_call_id: toolCallId, tool_calls: calls } = foreign(given);
  const kind = textOf(type) || textOf(role);
  if (kind === 'human' || kind === 'user') return [{ id, role: 'user' }];
  if (kind === 'tool')
    return [
      {
        id,
        role: 'tool',
        toolCallId,
        content,
        ...(status === 'error' ? { error: contentText(content) } : {}),
      },
    ];
  if (kind !== 'ai' && kind !== 'assistant') return [];
  const parts = listOf(content);
  const thought = parts.map(({ reasoning }) => textOf(reasoning)).join('');
  const toolCalls = listOf(calls).map(({ id: callId, name, args }) => ({
    id: callId,
    function: { name: textOf(name) || 'tool', arguments: JSON.stringify(args ?? {}) },
  }));
  return [
    ...(thought === '' ? [] : [{ id: `${textOf(id)}-reasoning`, role: 'reasoning', content: thought }]),
    { id, role: 'assistant', content, toolCalls },
  ];
}

function messageOf(message: AgUiMessage): readonly JsonObject[] {
  const { id } = message;
  switch (message.role) {
    case 'reasoning':
      return [];
    case 'system':
      return [{ type: 'system', id, content: message.content }];
    case 'user':
      return [{ type: 'human', id, content: contentOf(message.content) }];
    case 'tool': {
      const { toolCallId, content, error } = message;
      const status = error === undefined ? 'success' : 'error';
      return [{ type: 'tool', id, tool_call_id: toolCallId, content, status }];
    }
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id: callId, function: { name, arguments: text } }) => {
        const json = readJson(text);
        return { type: 'tool_call', id: callId, name, args: json.ok ? json.value : {} };
      });
      return [{ type: 'ai', id, content: message.content ?? '', tool_calls: calls }];
    }
  }
}

function contentOf(content: string | readonly AgUiContentPart[]): string | JsonObject[] {
  if (typeof content === 'string') return content;
  return content.map((part): JsonObject => {
    if (part.type === 'text') return part;
    const { type, source } = part;
    const { value, mimeType = 'application/octet-stream' } = source;
    if (type === 'image') {
      const url = source.type === 'url' ? value : `data:${mimeType};base64,${value}`;
      return { type: 'image_url', image_url: { url } };
    }
    // LangChain.js reads `data` and `mimeType`, and Python the others.
    const where = source.type === 'url' ? { url: value } : { data: value, base64: value };
    return { type: type === 'document' ? 'file' : type, ...where, mimeType, mime_type: mimeType };
  });
}
