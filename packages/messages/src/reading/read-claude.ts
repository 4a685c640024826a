import type { MessagePart } from '@vitrine/core/internal/graph/message';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import * as Part from './part.ts';
import { anthropicPart } from './read-anthropic.ts';
import {
  type Fields,
  type FoundMessage,
  type FoundSession,
  placeId,
  type ReadSessions,
  type Import,
  timeOf,
} from './reading.ts';

const notInExport = 'The file of an export names it, and does not hold its bytes.';

/** Reads the conversations of an export of Claude: one session each, with its branches where the export has them. */
export const readClaude: ReadSessions = (list, reading) =>
  reading.entriesOf(list, '', 'conversation').map(([conversation, at]): FoundSession => {
    const { uuid: id, name: title, created_at: createdAt, updated_at: updatedAt } = conversation;
    const given = conversation['chat_messages'];
    const head = conversation['current_leaf_message_uuid'];
    const entries = reading.entriesOf(given, `${at}.chat_messages`);
    const known = new Set(entries.map(([{ uuid }]) => uuid));
    const messages = entries.flatMap(([message, place], index): readonly FoundMessage[] => {
      const { uuid, sender, parent_message_uuid: parent, created_at: time } = message;
      const role = sender === 'human' || sender === 'user' ? 'user' : sender;
      if (role !== 'user' && role !== 'assistant') return reading.leaveUnknown(place, 'sender', sender);
      const before = entries[index - 1]?.[0]['uuid'];
      // Older exports are a list.
      const parentId = parent === undefined ? before : known.has(parent) ? parent : null;
      return [
        {
          at: place,
          role,
          id: uuid,
          createdAt: timeOf(time),
          parentId: typeof parentId === 'string' ? parentId : null,
          parts: partsIn(message, place, reading),
        },
      ];
    });
    return { at, id, title, createdAt, updatedAt, head, messages };
  });

function partsIn(message: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { content, text, attachments, files } = message;
  // The export of 2024 has only the text; later ones have it beside the content.
  const isListed = Array.isArray(content) && content.length > 0;
  return [
    ...(isListed ? unnamedCalls(content, at, reading) : Part.text(text)),
    ...reading.each(attachments, `${at}.attachments`, (file, place) => {
      const { extracted_content: extracted, file_name: name } = isPlainObject(file) ? file : ({} as Fields);
      return typeof extracted === 'string' && extracted !== ''
        ? [Part.textFile(extracted, name)]
        : reading.leave(place, 'file', `${notInExport}${nameSentence(name)}`);
    }),
    ...reading.each(files, `${at}.files`, (file, place) => {
      const { file_name: name } = isPlainObject(file) ? file : ({} as Fields);
      return reading.leave(place, 'file', `${notInExport}${nameSentence(name)}`);
    }),
  ];
}

function nameSentence(name: unknown): string {
  return typeof name === 'string' && name !== '' ? ` Its name is ${name}.` : '';
}

/** The blocks of a content. Some exports give calls no id: a result answers the last call then. */
function unnamedCalls(content: unknown, at: string, reading: Import): readonly MessagePart[] {
  let last = '';
  return reading.partsOf(content, `${at}.content`, (block, place) => {
    if (block['type'] === 'tool_use') {
      last = typeof block['id'] === 'string' ? block['id'] : placeId(place);
      return anthropicPart({ ...block, id: last }, place, reading);
    }
    if (block['type'] === 'tool_result' && typeof block['tool_use_id'] !== 'string')
      return anthropicPart({ ...block, tool_use_id: last }, place, reading);
    return anthropicPart(block, place, reading);
  });
}
