import type { MessagePart } from '@vitrine/core/internal/graph/message';
import { isPlainObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import * as Part from './part.ts';
import { openAiPart } from './read-openai.ts';
import {
  type Fields,
  type FoundMessage,
  noPlace,
  type ReadMessages,
  type Import,
  timeOf,
} from './reading.ts';

type Item = { readonly role: FoundMessage['role']; readonly parts: readonly MessagePart[] };

/** Reads items of OpenAI's Responses API: inputs, outputs, and the items of a conversation. */
export const readResponses: ReadMessages = (list, reading, at = '') => {
  const found: FoundMessage[] = [];
  for (const [item, place] of reading.entriesOf(list, at, 'item')) {
    const { id, type = 'message', created_at: createdAt } = item;
    if (type === 'message') reading.leaveOthers(item, place, ['content']);
    const read = itemOf(item, place, reading);
    if (read === null) continue;
    const last = found.at(-1);
    // The items of one answer are one message here, as its parts are with other providers.
    if (read.role === 'assistant' && last?.role === 'assistant')
      found[found.length - 1] = { ...last, parts: [...last.parts, ...read.parts] };
    else found.push({ at: place, id, createdAt: timeOf(createdAt), ...read });
  }
  return found;
};

function itemOf(item: Fields, at: string, reading: Import): Item | null {
  const { type, role, call_id: callId, name } = item;
  const answer = (parts: readonly MessagePart[]): Item => ({ role: 'assistant', parts });
  switch (type) {
    case undefined:
    case 'message': {
      const ours = role === 'developer' ? 'system' : role;
      if (ours !== 'system' && ours !== 'user' && ours !== 'assistant') {
        reading.leave(at, type, `Its role ${JSON.stringify(role)?.slice(0, 40)} is unknown.`);
        return null;
      }
      const parts = reading.partsOf(item['content'], `${at}.content`, openAiPart);
      return { role: ours, parts };
    }
    case 'function_call':
      return answer([Part.call({ id: callId, name, input: item['arguments'] })]);
    case 'custom_tool_call':
      return answer([Part.call({ id: callId, name, input: item['input'] })]);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', parts: [Part.result({ id: callId, output: outputOf(item, at, reading) })] };
    case 'reasoning':
      return answer(reasoningOf(item, at, reading));
    case 'mcp_call': {
      const { id, error, output } = item;
      const isError = error !== undefined && error !== null;
      const value: JsonValue = isError
        ? toJson(error)
        : Part.resultValue(typeof output === 'string' ? output : '');
      const call = Part.call({ id, name, input: item['arguments'] });
      const isOpen = !isError && typeof output !== 'string';
      return answer(isOpen ? [call] : [call, Part.result({ id, name, output: value, isError })]);
    }
    case 'image_generation_call': {
      const format = typeof item['output_format'] === 'string' ? item['output_format'] : 'png';
      const file = Part.file({ mediaType: `image/${format}`, data: item['result'] });
      return answer(reading.keepFile(file, at));
    }
    default:
      reading.leave(at, type, noPlace);
      return null;
  }
}

function outputOf({ output }: Fields, at: string, reading: Import): JsonValue {
  if (typeof output === 'string') return Part.resultValue(output);
  return Array.isArray(output)
    ? Part.resultValue(reading.textIn(output, `${at}.output`))
    : toJson(output ?? null);
}

/** The reasoning: its text or its summary, with what the provider needs back. */
function reasoningOf(item: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { id, encrypted_content: sealed, content, summary } = item;
  const written = reading.textIn(content, `${at}.content`);
  const text = written === '' ? reading.textIn(summary, `${at}.summary`) : written;
  if (text === '' && typeof sealed !== 'string') return [];
  if (written !== '' && Array.isArray(summary) && summary.some((entry) => isPlainObject(entry)))
    reading.leave(`${at}.summary`, 'summary', 'The whole reasoning is kept instead of its summary.');
  const openai = {
    ...(typeof id === 'string' ? { itemId: id } : {}),
    ...(typeof sealed === 'string' ? { reasoningEncryptedContent: sealed } : {}),
  };
  return [{ type: 'reasoning', text, providerMetadata: { openai } }];
}
