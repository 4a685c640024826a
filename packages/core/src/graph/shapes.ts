// The nouns that events and documents share, each with one table of its fields. References of stored steps, and nouns
// that are only stored, are in `document/`.
import type { Check, ObjectCheck } from '../kit/check.ts';
import * as is from '../kit/check.ts';
import type { ErrorInfo } from './error-info.ts';
import { finishReasons, type InferenceResponse, type ModelSwitch } from './inference-response.ts';
import type { LlmConfig, ModelPrice, ResponseFormat } from './llm-config.ts';
import type { BlobReference, Message, MessagePart } from './message.ts';
import { isStopReason, type StopReason } from './stop-reason.ts';
import type { StopSignal } from './stop-signal.ts';
import { outcomes } from './tool-execution.ts';
import type {
  BreakAddress,
  BreakCondition,
  Grant,
  PluginStates,
  RunLimits,
  SentRange,
  SentRequest,
} from './types.ts';
import type { Usage } from './usage.ts';

type Part<Type> = Extract<MessagePart, { readonly type: Type }>;

export const outcome = is.literal(...outcomes);
export const executionStatus = is.literal('pending', 'in-progress', 'completed', 'stopped', 'failed');
export const decision = is.literal('approved', 'rejected');
const providerMetadata = is.optional(is.jsonObject);
const blob = is.plain<BlobReference>({
  hash: is.checkBy((hash) => typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash), 'expected a SHA-256'),
  size: is.count,
});
export const file = is.object<Part<'file'>>({
  type: is.literal('file'),
  mediaType: is.text,
  data: is.optional(is.text),
  url: is.optional(is.text),
  blob: is.optional(blob),
  filename: is.nullable(is.text),
  providerMetadata,
});
export const source = is.object<Part<'source'>>({
  type: is.literal('source'),
  id: is.text,
  url: is.nullable(is.text),
  title: is.nullable(is.text),
});
export const parts = {
  text: is.object<Part<'text'>>({ type: is.literal('text'), text: is.text, providerMetadata }),
  reasoning: is.object<Part<'reasoning'>>({ type: is.literal('reasoning'), text: is.text, providerMetadata }),
  'tool-call': is.object<Part<'tool-call'>>({
    type: is.literal('tool-call'),
    toolCallId: is.text,
    toolName: is.text,
    input: is.json,
    providerCallId: is.or(is.text, null),
    providerMetadata,
  }),
  data: is.object<Part<'data'>>({ type: is.literal('data'), name: is.text, data: is.json }),
  'tool-result': is.object<Part<'tool-result'>>({
    type: is.literal('tool-result'),
    toolCallId: is.text,
    toolName: is.text,
    output: is.json,
    outcome: is.or(outcome, 'completed'),
    durationMs: is.or(is.number, null),
  }),
  file,
  source,
};
export const message = is.object<Message>({
  id: is.text,
  role: is.literal('system', 'user', 'assistant', 'tool'),
  parts: is.list(is.union<MessagePart>(parts)),
  metadata: is.or(is.jsonObject, {}),
  createdAt: is.timestamp,
  parentId: is.or(is.text, null),
});

const cause: Check<ErrorInfo> = is.self(() => error);
/** An error. Its causes are followed 8 deep when it is recorded, and as deep as any value when it is checked. */
export const error: ObjectCheck<ErrorInfo> = is.object<ErrorInfo>({
  name: is.text,
  message: is.text,
  code: is.or(is.text, null),
  data: is.or(is.jsonObject, {}),
  cause: is.or(cause, null),
});

export const signal = is.object<StopSignal>({
  reason: is.checkBy<StopReason>(isStopReason, 'expected a stop reason'),
  message: is.or(is.text, ''),
  context: is.or(is.jsonObject, {}),
  source: is.or(is.text, null),
  at: is.timestamp,
});

const tokens = is.or(is.amount, 0);
export const usage = is.object<Usage>({
  inputTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  cacheWriteHourTokens: is.optional(is.amount),
  totalTokens: tokens,
  cost: is.or(is.number, null),
  isEstimated: is.optional(is.literal(true)),
});
export const response = is.object<InferenceResponse>({
  id: is.or(is.text, null),
  model: is.or(is.text, null),
  finishReason: is.literal(...finishReasons),
  explanation: is.optional(is.text),
  skippedFrames: is.optional(is.number),
  unsupportedSettings: is.optional(is.list(is.text)),
  switches: is.optional(
    is.list(
      is.plain<ModelSwitch>({
        from: is.nullable(is.text),
        to: is.nullable(is.text),
        code: is.text,
        afterMs: is.number,
      }),
    ),
  ),
  usage,
  durationMs: is.number,
  firstDeltaMs: is.or(is.number, null),
});

const range = is.object<SentRange>({
  section: is.nullable(is.text),
  first: is.text,
  last: is.text,
  count: is.count,
});
/** The content of a model call. A stored one refers to texts and messages by their place. */
export const sent = is.object<SentRequest>({
  inferenceId: is.text,
  model: is.or(is.text, null),
  settings: is.or(is.jsonObject, {}),
  toolChoice: is.or(
    is.either(
      is.literal('auto', 'none', 'required'),
      is.plain<{ readonly toolName: string }>({ toolName: is.text }),
    ),
    'auto',
  ),
  prompt: is.text,
  tools: is.text,
  responseFormat: is.or(is.text, null),
  messages: is.or(is.list(range), []),
  tracesOf: is.optional(is.text),
  isCharged: is.optional(is.literal(true)),
  attempt: is.optional(is.number),
  extra: is.or(is.list(message), []),
  omitted: is.or(is.list(is.object<SentRequest['omitted'][number]>({ range, reason: is.text })), []),
});

const priceRow = {
  input: is.amount,
  output: is.amount,
  cacheRead: is.optional(is.amount),
  cacheWrite: is.optional(is.amount),
  cacheWriteHour: is.optional(is.amount),
};
export const price = is.plain<ModelPrice>({
  ...priceRow,
  isEstimated: is.optional(is.literal(true)),
  above: is.optional(is.plain<NonNullable<ModelPrice['above']>>({ ...priceRow, tokens: is.amount })),
});
export const llmConfig = is.object<LlmConfig>({
  model: is.or(is.text, null),
  settings: is.or(is.jsonObject, {}),
  prices: is.optional(is.record(price)),
});
export const responseFormat = is.union<ResponseFormat>({
  text: is.plain({ type: is.literal('text') }),
  json: is.plain<Extract<ResponseFormat, { readonly type: 'json' }>>({
    type: is.literal('json'),
    schema: is.jsonObject,
    name: is.optional(is.text),
  }),
});
export const plugins: Check<PluginStates> = is.record(
  is.plain({ version: is.count, revision: is.count, data: is.json }),
);

/** Amounts by their name in a budget. */
export const limits: Check<RunLimits> = is.record(is.amount);
export const grant = is.object<Grant>({
  steps: is.optional(is.amount),
  tokens: is.optional(is.amount),
  seconds: is.optional(is.amount),
  cost: is.optional(is.amount),
  deadline: is.optional(is.amount),
});

export const breakAddress = is.plain<BreakAddress>({
  point: is.literal('model', 'tool', 'answer', 'end'),
  step: is.count,
  toolCallId: is.nullable(is.text),
});
type ConditionOf<Type> = Extract<BreakCondition, { readonly type: Type }>;
export const breakCondition = is.union<BreakCondition>({
  next: is.plain({ type: is.literal('next') }),
  model: is.plain<ConditionOf<'model'>>({ type: is.literal('model'), agent: is.optional(is.text) }),
  tool: is.plain<ConditionOf<'tool'>>({
    type: is.literal('tool'),
    toolName: is.text,
    isAfter: is.optional(is.flag),
    input: is.optional(is.jsonObject),
    agent: is.optional(is.text),
  }),
  step: is.plain({
    type: is.literal('step'),
    stepType: is.literal('error', 'tool-execution', 'final-response'),
  }),
  budget: is.plain({
    type: is.literal('budget'),
    limit: is.literal('steps', 'tokens', 'seconds', 'cost'),
    left: is.number,
  }),
  cost: is.plain({ type: is.literal('cost'), over: is.number }),
  finding: is.plain({ type: is.literal('finding'), code: is.nullable(is.text) }),
});
