import * as z from 'zod/mini';
import type { JsonObject, JsonValue } from '../../kit/json.ts';

// The schemas of messages in stored documents, and the small schemas shared by all documents.

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
// The value was copied as JSON before, so only `undefined` has to be excluded.
export const json = z.custom<JsonValue>((value) => value !== undefined, 'expected JSON');
export const jsonObject = z.custom<JsonObject>(isObject, 'expected a JSON object');
export const timestamp = z.int();
export const nullableText = z.nullable(z.string());

const providerMetadata = z.optional(jsonObject);
/** The outcome of a tool call. */
export const outcome = z.enum(['completed', 'failed', 'blocked', 'rejected', 'interrupted', 'stopped']);
const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), providerMetadata }),
  z.object({ type: z.literal('reasoning'), text: z.string(), providerMetadata }),
  z.object({
    type: z.literal('tool-call'),
    toolCallId: z.string(),
    toolName: z.string(),
    input: json,
    providerCallId: z.optional(z.string()),
    providerMetadata,
  }),
  z.object({ type: z.literal('data'), name: z.string(), data: json }),
  z.object({
    type: z.literal('tool-result'),
    toolCallId: z.string(),
    toolName: z.string(),
    output: json,
    outcome: z.optional(outcome),
    durationMs: z.optional(z.number()),
  }),
  z.object({
    type: z.literal('file'),
    mediaType: z.string(),
    data: z.optional(z.string()),
    url: z.optional(z.string()),
    blob: z.optional(
      z.object({ hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)), size: z.int().check(z.nonnegative()) }),
    ),
    filename: nullableText,
    providerMetadata,
  }),
  z.object({ type: z.literal('source'), id: z.string(), url: nullableText, title: nullableText }),
]);

export const messageSchema = z.object({
  id: z.string(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  parts: z.array(part),
  metadata: z.optional(jsonObject),
  createdAt: timestamp,
  parentId: z.optional(z.string()),
});

export type EncodedMessage = z.infer<typeof messageSchema>;
