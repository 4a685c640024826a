import * as z from 'zod/mini';
import type { JsonObject, JsonValue } from '../../kit/json.ts';
import { isUuid } from '../../kit/ids.ts';
import { limits } from '../limits.ts';
import { isStopReason, type StopReason } from '../stop-reason.ts';

// The schemas of messages in stored documents, and the small schemas shared by all documents.

/** A list of items that nobody changes. */
export function listOf<Item>(item: z.ZodMiniType<Item>): z.ZodMiniType<readonly Item[]> {
  return z.array(item);
}

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

// The schemas of stored documents. Empty and null fields are left out when written, so most are optional.

const uuid = z.custom<string>(isUuid, 'expected a UUID');
/** A date that a person or another program wrote as text; an unreadable one is replaced when decoded. */
const looseTimestamp = z.union([timestamp, z.string()]);
const count = z.int().check(z.nonnegative());
const tokens = z.number().check(z.nonnegative());
/** Runs of indexes into the table of messages: start, length, start, length, ... */
const ranges = z
  .array(count)
  .check(z.refine((list) => list.length % 2 === 0, 'expected pairs of start and length'));

const errorInfoShape = {
  name: z.string(),
  message: z.string(),
  code: z.optional(nullableText),
  data: z.optional(jsonObject),
};
type EncodedError = {
  name: string;
  message: string;
  code?: string | null | undefined;
  data?: JsonObject | undefined;
  cause?: EncodedError | null | undefined;
};
export const errorSchema: z.ZodMiniType<EncodedError> = z.object({
  ...errorInfoShape,
  get cause() {
    return z.optional(z.nullable(errorSchema));
  },
}) as z.ZodMiniType<EncodedError>;

export const usageSchema = z.object({
  inputTokens: z.optional(tokens),
  outputTokens: z.optional(tokens),
  reasoningTokens: z.optional(tokens),
  cacheReadTokens: z.optional(tokens),
  cacheWriteTokens: z.optional(tokens),
  totalTokens: z.optional(tokens),
  cost: z.optional(z.nullable(z.number())),
  isEstimated: z.optional(z.literal(true)),
});

export const stopSignalSchema = z.object({
  reason: z.custom<StopReason>(isStopReason, 'expected a stop reason'),
  message: z.optional(z.string()),
  context: z.optional(jsonObject),
  source: z.optional(nullableText),
  at: timestamp,
});

export const continuationSchema = z.object({
  stopSignals: z.optional(z.array(stopSignalSchema)),
  isContinuationRequested: z.optional(z.boolean()),
  overridden: z.optional(z.array(stopSignalSchema)),
});

const amount = z.optional(z.nullable(z.number().check(z.nonnegative())));
const moment = z.optional(z.nullable(timestamp.check(z.nonnegative())));
/** Every limit of the table of limits. */
export const budgetSchema = z.object(
  Object.fromEntries(limits.map(({ key, unit }) => [key, unit === 'moment' ? moment : amount])),
);

const responseSchema = z.object({
  id: z.optional(nullableText),
  model: z.optional(nullableText),
  finishReason: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'error', 'other']),
  explanation: z.optional(z.string()),
  usage: z.optional(usageSchema),
  durationMs: z.number(),
  firstDeltaMs: z.optional(z.nullable(z.number())),
});

export const toolExecutionSchema = z.object({
  id: uuid,
  providerCallId: z.optional(z.string()),
  /** Left out, with the input, when a message of the step holds the same call. */
  name: z.optional(z.string()),
  input: z.optional(json),
  status: z.union([outcome, z.enum(['requested', 'awaiting-approval', 'awaiting-output', 'running'])]),
  result: z.optional(json),
  /** The place of the result: the message that answers the call, or none. */
  resultIn: z.optional(z.enum(['message', 'nowhere'])),
  error: z.optional(errorSchema),
  startedAt: z.optional(timestamp),
  completedAt: z.optional(timestamp),
  durationMs: z.optional(z.number()),
  childState: z.optional(z.unknown()),
  pluginWrites: z.optional(
    z.array(z.object({ pluginId: z.string(), fromRevision: count, toRevision: count })),
  ),
  progress: z.optional(json),
  settledAt: z.optional(timestamp),
  approval: z.optional(
    z.object({
      reason: z.optional(nullableText),
      cause: z.optional(z.nullable(z.literal('not-stored'))),
      decision: z.optional(z.nullable(z.enum(['approved', 'rejected']))),
      comment: z.optional(nullableText),
      isEdited: z.optional(z.boolean()),
    }),
  ),
});

/** Section, first and last message and their count: table indexes, or ids where there is no section. */
const place = z.union([count, z.string()]);
const sentRange = z.tuple([nullableText, place, place, count]);
const sentSchema = z.object({
  inferenceId: z.string(),
  model: z.optional(z.string()),
  settings: z.optional(jsonObject),
  toolChoice: z.optional(z.union([z.enum(['none', 'required']), z.object({ toolName: z.string() })])),
  /** Indexes in the document's texts. */
  prompt: count,
  tools: count,
  responseFormat: z.optional(count),
  messages: z.optional(z.array(sentRange)),
  tracesOf: z.optional(z.string()),
  isCharged: z.optional(z.literal(true)),
  extra: z.optional(ranges),
  omitted: z.optional(z.array(z.object({ range: sentRange, reason: z.string() }))),
});

export const stepSchema = z.object({
  id: uuid,
  sent: z.optional(sentSchema),
  output: z.optional(ranges),
  response: z.optional(responseSchema),
  tools: z.optional(z.array(toolExecutionSchema)),
  /** A number is the error of the tool execution with that index. */
  errors: z.optional(z.array(z.union([count, errorSchema]))),
  extraUsage: z.optional(usageSchema),
});

export const stepExecutionSchema = z.object({
  step: stepSchema,
  continuation: z.optional(continuationSchema),
  startedAt: timestamp,
  completedAt: timestamp,
  durationMs: z.number(),
});

export const executionStatus = z.enum(['pending', 'in-progress', 'completed', 'stopped', 'failed']);
export const executionSchema = z.object({
  executionId: uuid,
  status: executionStatus,
  startedAt: z.optional(looseTimestamp),
  completedAt: z.optional(z.nullable(looseTimestamp)),
  steps: z.optional(z.array(stepExecutionSchema)),
  continuation: z.optional(continuationSchema),
  currentStepStartedAt: z.optional(timestamp),
  currentStep: z.optional(stepSchema),
  waitedMs: z.optional(count),
  waitingSince: z.optional(timestamp),
  errors: z.optional(z.array(errorSchema)),
  extraUsage: z.optional(usageSchema),
});

const price = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.optional(z.number()),
  cacheWrite: z.optional(z.number()),
});

export const pluginsSchema = z.catchall(
  z.object({}),
  z.object({ version: count, revision: count, data: json }),
);

export const agentStateSchema = z.object({
  agentId: uuid,
  parentAgentId: z.optional(uuid),
  createdAt: timestamp,
  updatedAt: timestamp,
  seq: z.optional(count),
  executionCount: count,
  llmConfig: z.optional(
    z.object({
      model: z.optional(nullableText),
      settings: z.optional(jsonObject),
      prices: z.optional(z.catchall(z.object({}), price)),
    }),
  ),
  systemPrompt: z.optional(z.string()),
  metadata: z.optional(jsonObject),
  responseFormat: z.optional(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json'), schema: jsonObject, name: z.optional(z.string()) }),
    ]),
  ),
  sections: z.optional(z.array(z.object({ name: z.string(), messages: ranges }))),
  plugins: z.optional(pluginsSchema),
  retained: z.optional(z.object({ keys: z.array(z.string()), messages: ranges })),
  spentBefore: z.optional(
    z.object({ tokens, cost: z.number().check(z.nonnegative()), hasUnknownCost: z.boolean() }),
  ),
  execution: z.optional(executionSchema),
});

/** The envelope of every stored document, with the messages it refers to. */
export const envelopeSchema = z.object({
  $schema: z.string(),
  version: z.int(),
  messages: z.optional(z.array(messageSchema)),
  texts: z.optional(z.array(z.tuple([z.string(), json]))),
});

export type EncodedContinuation = z.infer<typeof continuationSchema>;
export type EncodedSignal = z.infer<typeof stopSignalSchema>;
export type EncodedUsage = z.infer<typeof usageSchema>;
export type EncodedToolExecution = z.infer<typeof toolExecutionSchema>;
export type EncodedSent = z.infer<typeof sentSchema>;
export type EncodedSentRange = z.infer<typeof sentRange>;
export type EncodedStep = z.infer<typeof stepSchema>;
export type EncodedStepExecution = z.infer<typeof stepExecutionSchema>;
export type EncodedExecution = z.infer<typeof executionSchema>;
export type EncodedAgentState = z.infer<typeof agentStateSchema>;
export type { EncodedError };
