import * as z from 'zod/mini';
import type {
  DataPart,
  FilePart,
  Message,
  MessagePart,
  ReasoningPart,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../message.ts';
import { messagesOf } from './message-table.ts';
import {
  as,
  count,
  json,
  jsonObject,
  list,
  nullableText,
  object,
  oneOf,
  optional,
  or,
  type Shape,
  timestamp,
} from './shape.ts';

const text = as(z.string());
const providerMetadata = optional(as(jsonObject));
/** The outcome of a tool call. */
export const outcome = z.enum(['completed', 'failed', 'blocked', 'rejected', 'interrupted', 'stopped']);
const blob = z.object({
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  size: count,
});

const partShape = oneOf<MessagePart>({
  text: object<TextPart>({ type: as(z.literal('text')), text, providerMetadata }),
  reasoning: object<ReasoningPart>({ type: as(z.literal('reasoning')), text, providerMetadata }),
  'tool-call': object<ToolCallPart>({
    type: as(z.literal('tool-call')),
    toolCallId: text,
    toolName: text,
    input: as(json),
    providerCallId: or(text, null),
    providerMetadata,
  }),
  data: object<DataPart>({ type: as(z.literal('data')), name: text, data: as(json) }),
  'tool-result': object<ToolResultPart>({
    type: as(z.literal('tool-result')),
    toolCallId: text,
    toolName: text,
    output: as(json),
    outcome: or(as(outcome), 'completed'),
    durationMs: or(as(z.number()), null),
  }),
  file: object<FilePart>({
    type: as(z.literal('file')),
    mediaType: text,
    data: optional(text),
    url: optional(text),
    blob: optional(as(blob)),
    filename: as(nullableText),
    providerMetadata,
  }),
  source: object<SourcePart>({
    type: as(z.literal('source')),
    id: text,
    url: as(nullableText),
    title: as(nullableText),
  }),
});

export const messageShape = object<Message>({
  id: text,
  role: as(z.enum(['system', 'user', 'assistant', 'tool'])),
  parts: list(partShape),
  metadata: or(as(jsonObject), {}),
  createdAt: as(timestamp),
  parentId: or(text, null),
});

const pairs = z
  .array(count)
  .check(z.refine((ranges) => ranges.length % 2 === 0, 'expected pairs of start and length'));

/** Messages as runs of indexes into the table of the document: start, length, start, length, ... */
export const rangesShape: Required<Shape<readonly Message[]>> = {
  schema: pairs,
  encode: (messages, { table }) => table.rangesOf(messages),
  decode: (ranges: readonly number[], { table }, path) => messagesOf(table, ranges, path),
};
