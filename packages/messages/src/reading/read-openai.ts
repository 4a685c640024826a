import type { MessagePart } from '@vitrine/core/internal/graph/message';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import * as Part from './part.ts';
import {
  type Fields,
  type FoundMessage,
  noBytes,
  placeId,
  type ReadMessages,
  type Import,
  timeOf,
} from './reading.ts';

const known: readonly string[] = [
  'content',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'refusal',
  'tool_calls',
  'function_call',
  'images',
  'audio',
];

/**
 * Reads messages of chat completions: requests and answers of OpenAI and of the many servers that are compatible, logs
 * and lines for fine-tuning. A message that is only a role and a text is read here as well, whoever wrote it.
 */
export const readOpenAi: ReadMessages = (list, reading, at = '') => {
  // A result of a function of 2023 names its function and no call.
  let lastLegacyCall = '';
  return reading.entriesOf(list, at).flatMap(([message, place]): readonly FoundMessage[] => {
    const { role, id, createdAt, created_at: created, name } = message;
    reading.leaveOthers(message, place, known);
    const found = {
      at: place,
      id,
      createdAt: timeOf(createdAt ?? created),
      ...(typeof name === 'string' && role !== 'function' && role !== 'tool' ? { metadata: { name } } : {}),
    };
    switch (role) {
      case 'system':
      case 'developer':
        return [{ ...found, role: 'system', parts: contentOf(message, place, reading) }];
      case 'user':
        return [{ ...found, role, parts: contentOf(message, place, reading) }];
      case 'assistant': {
        const legacyId = isPlainObject(message['function_call']) ? placeId(`${place}.function_call`) : '';
        if (legacyId !== '') lastLegacyCall = legacyId;
        return [{ ...found, role, parts: readAnswer(message, place, reading, legacyId) }];
      }
      case 'tool':
      case 'function': {
        const call = message['tool_call_id'] ?? lastLegacyCall;
        const output = Part.resultValue(reading.textIn(message['content'], `${place}.content`));
        return [{ ...found, role: 'tool', parts: [Part.result({ id: call, name, output })] }];
      }
      default:
        return reading.leaveUnknown(place, 'role', role);
    }
  });
};

function contentOf(message: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { content, images } = message;
  return [
    ...reading.partsOf(content, `${at}.content`, openAiPart),
    ...reading.each(images, `${at}.images`, (image, place) => {
      // Ollama gives the bytes alone.
      if (typeof image === 'string')
        return reading.keepFile(Part.file({ mediaType: 'image/*', data: image }), place);
      const parts = isPlainObject(image) ? openAiPart(image, place, reading) : null;
      return parts ?? reading.leave(place, 'image', noBytes);
    }),
  ];
}

/** The reasoning before an answer, in the fields of the servers that are compatible with OpenAI. */
function reasoningOf(message: Fields, at: string, reading: Import): readonly MessagePart[] {
  const { reasoning_content: long, reasoning, thinking, reasoning_details: details } = message;
  const whole = [long, reasoning, thinking].find((text) => typeof text === 'string' && text !== '');
  if (whole !== undefined) return Part.text(whole, 'reasoning');
  return reading.partsOf(details, `${at}.reasoning_details`, ({ text, summary }) => {
    const said = Part.text(text ?? summary, 'reasoning');
    return said.length === 0 ? null : said;
  });
}

function readAnswer(message: Fields, at: string, reading: Import, legacyId: string): readonly MessagePart[] {
  const { refusal, tool_calls: calls, annotations, audio, function_call: legacy } = message;
  return [
    ...reasoningOf(message, at, reading),
    ...contentOf(message, at, reading),
    ...Part.text(refusal),
    ...reading.each(annotations, `${at}.annotations`, annotationOf),
    ...(isPlainObject(audio) ? audioOf(audio, `${at}.audio`, reading) : []),
    ...reading.each(calls, `${at}.tool_calls`, callOf),
    ...(isPlainObject(legacy)
      ? [Part.call({ id: legacyId, name: legacy['name'], input: legacy['arguments'] })]
      : []),
  ];
}

function callOf(call: unknown, at: string, { leave }: Import): readonly MessagePart[] {
  if (!isPlainObject(call)) return leave(at, 'tool-call', 'It is no call.');
  const { id, function: named, custom } = call;
  const own = isPlainObject(custom) ? { name: custom['name'], input: custom['input'] } : null;
  const made = isPlainObject(named) ? { name: named['name'], input: named['arguments'] } : own;
  if (made === null || typeof made.name !== 'string')
    return leave(at, 'tool-call', 'It names no function, so nothing can be called.');
  return [Part.call({ id, ...made })];
}

/** A citation of the message: the address of a page, or a file of the provider. */
function annotationOf(entry: unknown, at: string, { leave }: Import): readonly MessagePart[] {
  if (!isPlainObject(entry)) return leave(at, 'annotation', 'It is no citation.');
  const { type, url_citation: nested } = entry;
  const source = type === 'url_citation' ? Part.source(isPlainObject(nested) ? nested : entry) : null;
  return source === null ? leave(at, type, 'Only citations with an address are kept.') : [source];
}

function audioOf({ data, transcript }: Fields, at: string, { leave }: Import): readonly MessagePart[] {
  const file = Part.file({ mediaType: 'audio/wav', data });
  const said = Part.text(transcript);
  if (file === null && said.length === 0) return leave(at, 'audio', noBytes);
  return [...said, ...(file === null ? [] : [file])];
}

/** A part of a content in the words of OpenAI's chat or of its responses; null for an unknown one. */
export function openAiPart(entry: Fields, at: string, reading: Import): readonly MessagePart[] | null {
  switch (entry['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    // Texts of Amazon Bedrock have no type.
    case undefined: {
      if (entry['type'] === undefined && typeof entry['text'] !== 'string') return null;
      // Threads of the Assistants API have the text and its annotations in an object.
      const { text, annotations } = isPlainObject(entry['text'])
        ? { ...entry['text'], text: entry['text']['value'] }
        : entry;
      return [
        ...(typeof text === 'string' ? Part.text(text) : reading.leave(at, 'text', 'It has no text.')),
        ...reading.each(annotations, `${at}.annotations`, annotationOf),
      ];
    }
    case 'refusal':
      return Part.text(entry['refusal']);
    case 'image_url':
    case 'input_image':
      return imageOf(entry, at, reading);
    case 'input_audio': {
      const audio = isPlainObject(entry['input_audio']) ? entry['input_audio'] : entry;
      const format = audio['format'] === 'mp3' ? 'mpeg' : audio['format'];
      const mediaType = `audio/${typeof format === 'string' ? format : 'wav'}`;
      return reading.keepFile(Part.file({ mediaType, data: audio['data'] }), at);
    }
    case 'file':
    case 'input_file': {
      const file = isPlainObject(entry['file']) ? entry['file'] : entry;
      const { file_data: data, file_url: url, filename } = file;
      return reading.keepFile(Part.file({ data, url, filename, mediaType: file['mime_type'] }), at);
    }
    default:
      return null;
  }
}

function imageOf(entry: Fields, at: string, reading: Import): readonly MessagePart[] {
  const given = entry['image_url'];
  const url = isPlainObject(given) ? given['url'] : given;
  const file = Part.file({ url });
  // An address without an ending says nothing of its type, and this is an image.
  const isUnknown = file !== null && !file.mediaType.startsWith('image/') && file.url !== undefined;
  return reading.keepFile(isUnknown ? { ...file, mediaType: 'image/*' } : file, at);
}
