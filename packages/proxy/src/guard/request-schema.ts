import * as z from 'zod';
import type { InferenceRequest, JsonObject, JsonValue } from '@vitrine/core';

// The body was parsed as JSON. Checking it once more costs seconds for a large conversation.

/** Any JSON value except undefined. */
const jsonValue: z.ZodType<JsonValue> = z.custom<JsonValue>(
  (value) => value !== undefined,
  'expected a value',
);

/** An object with any content. */
const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);

const share = z.number().min(0).max(1).nullish();
const penalty = z.number().min(-2).max(2).nullish();
const count = z.number().int().min(1).max(10_000_000).nullish();

/** The model settings that a page may choose. Other settings are dropped; nulls are dropped later. */
const settingsSchema = z.object({
  maxOutputTokens: count,
  temperature: z.number().min(0).max(2).nullish(),
  topP: share,
  topK: count,
  presencePenalty: penalty,
  frequencyPenalty: penalty,
  stopSequences: z.array(z.string().max(1000)).max(16).nullish(),
  seed: z.number().int().nullish(),
  reasoning: z.enum(['off', 'low', 'medium', 'high']).nullish(),
});

/** Narrowed by `narrowRequest` once the model is known. */
const providerMetadata = jsonObject.optional();

/**
 * The address is serialised as we parsed it. A provider with another parser therefore fetches from the host that
 * `checkFileUrls` has checked.
 */
const fileUrl = z.string().transform((url) => (URL.canParse(url) ? new URL(url).href : url));

/**
 * The bytes themselves: some provider clients take a text like `file-…` as the name of a file in the proxy's account.
 * The pattern looks for a character outside of base64, because a long match would overflow the stack.
 */
const fileData = z.string().refine((data) => !/[^A-Za-z\d+/=]/.test(data), 'has to be base64');

// The fields are those of a stored message (core's `graph/document/message-shape.ts`), written again: a request is read
// by stricter rules for files and may leave fields out, and a schema of zod is no public name of core. A test compares
// what the two accept.
const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), providerMetadata }),
  z.object({ type: z.literal('reasoning'), text: z.string(), providerMetadata }),
  z.object({
    type: z.literal('tool-call'),
    toolCallId: z.string(),
    toolName: z.string(),
    input: jsonValue,
    providerMetadata,
  }),
  z.object({
    type: z.literal('tool-result'),
    toolCallId: z.string(),
    toolName: z.string(),
    output: jsonValue,
    outcome: z
      .enum(['completed', 'failed', 'blocked', 'rejected', 'interrupted', 'stopped'])
      .default('completed'),
  }),
  z.object({
    type: z.literal('file'),
    mediaType: z.string(),
    data: fileData.optional(),
    url: fileUrl.optional(),
    filename: z.string().nullable().default(null),
    providerMetadata,
  }),
  z.object({ type: z.literal('data'), name: z.string(), data: jsonValue }),
  z.object({
    type: z.literal('source'),
    id: z.string(),
    url: z.string().nullable(),
    title: z.string().nullable(),
  }),
]);

const message = z.object({
  id: z.string().default(''),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  parts: z.array(part),
  metadata: jsonObject.default({}),
  createdAt: z.number().default(0),
  parentId: z.string().nullable().default(null),
});

/** The body of `POST /v1/inference`. Unknown fields are dropped. */
const requestSchema = z.object({
  model: z.string().nullable().default(null),
  messages: z.array(message).min(1),
  tools: z
    .array(z.object({ name: z.string(), description: z.string().default(''), inputSchema: jsonObject }))
    .default([]),
  toolChoice: z
    .union([z.enum(['auto', 'none', 'required']), z.object({ toolName: z.string() })])
    .default('auto'),
  responseFormat: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json'), schema: jsonObject, name: z.string().optional() }),
    ])
    .nullable()
    .default(null),
  settings: settingsSchema.default({}),
});

/** The request, or its first problem and the place of it; null for a body that is no JSON. */
export function parseRequest(body: unknown): { request: InferenceRequest } | { issue: string | null } {
  if (body === undefined) return { issue: null };
  const parsed = requestSchema.safeParse(body);
  if (parsed.success) return { request: parsed.data as InferenceRequest };
  const [issue] = parsed.error.issues;
  return { issue: `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}` };
}
