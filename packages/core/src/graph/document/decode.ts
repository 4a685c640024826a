import * as errors from '../../kit/errors.ts';
import type { Message, MessagePart } from '../message.ts';
import type {
  EncodedMessage,
  EncodedSent,
  EncodedSentRange,
  EncodedAgentState,
  EncodedContinuation,
  EncodedError,
  EncodedExecution,
  EncodedSignal,
  EncodedStep,
  EncodedStepExecution,
  EncodedToolExecution,
  EncodedUsage,
} from './schema.ts';
import type { JsonValue, JsonObject } from '../../kit/json.ts';
import type {
  SentRange,
  SentRequest,
  AgentState,
  AgentStep,
  ExecutionState,
  StepExecution,
  ToolExecution,
} from '../types.ts';
import { messagesOf } from './message-table.ts';
import { readSettings } from '../llm-config.ts';
import { type Usage, of as usageOf } from '../usage.ts';
import { type ExecutionContinuation, fresh } from '../execution-continuation.ts';
import type { StopSignal } from '../stop-signal.ts';
import type { Env } from '../env.ts';
import type { ErrorInfo } from '../error-info.ts';
import type { InferenceResponse } from '../inference-response.ts';
import { append, empty, type MessageStore, withSection } from '../message-store.ts';
import { findCall, findResult } from './encode.ts';

/** Decodes a message of a document, with all its fields. */
export function decodeMessage(encoded: EncodedMessage): Message {
  const { id, role, parts, metadata = {}, createdAt, parentId = null } = encoded;
  return { id, role, parts: parts.map(decodePart), metadata, createdAt, parentId };
}

function decodePart(part: EncodedMessage['parts'][number]): MessagePart {
  switch (part.type) {
    case 'tool-call':
      return { ...part, providerCallId: part.providerCallId ?? null } as MessagePart;
    case 'tool-result':
      return { ...part, outcome: part.outcome ?? 'completed', durationMs: part.durationMs ?? null };
    default:
      return part as MessagePart;
  }
}

type Tables = {
  readonly table: readonly Message[];
  readonly texts: readonly (readonly [string, JsonValue])[];
  readonly warn: (path: string, what: string) => void;
};

/**
 * Decodes a request. @throws AgentError `state-invalid` when it names a message or text that the document does not
 * hold.
 */
export function decodeSent(encoded: EncodedSent, tables: Tables, path: string): SentRequest {
  const { inferenceId, model = null, toolChoice = 'auto', responseFormat } = encoded;
  const text = (at: number): string => found(tables.texts[at]?.[0], `${path}.prompt`, `text ${at}`);
  const range = (entry: EncodedSentRange): SentRange => decodeRange(entry, tables, path);
  return {
    inferenceId,
    model,
    settings: decodeSettings(encoded.settings, tables, `${path}.settings`),
    toolChoice,
    prompt: text(encoded.prompt),
    tools: text(encoded.tools),
    responseFormat: responseFormat === undefined ? null : text(responseFormat),
    messages: (encoded.messages ?? []).map(range),
    ...(encoded.tracesOf === undefined ? {} : { tracesOf: encoded.tracesOf }),
    ...(encoded.isCharged === undefined ? {} : { isCharged: encoded.isCharged }),
    extra: messagesOf(tables.table, encoded.extra ?? [], `${path}.extra`),
    omitted: (encoded.omitted ?? []).map((entry) => ({ range: range(entry.range), reason: entry.reason })),
  };
}

function decodeRange(
  [section, first, last, count]: EncodedSentRange,
  { table }: Tables,
  path: string,
): SentRange {
  const id = (at: number | string): string =>
    typeof at === 'string' ? at : found(table[at]?.id, `${path}.messages`, `message ${at}`);
  return { section, first: id(first), last: id(last), count };
}

function found(value: string | undefined, path: string, what: string): string {
  if (value !== undefined) return value;
  throw errors.stateInvalid({ path, what: `there is no ${what}` });
}

/** Reads settings without the secrets that an older version saved; `warn` receives their paths. */
export function decodeSettings(
  encoded: JsonObject | undefined,
  { warn }: { readonly warn: (path: string, what: string) => void },
  path: string,
): JsonObject {
  const { settings, leftOut } = readSettings(encoded ?? {});
  for (const at of leftOut) warn(`${path}.${at}`, 'it looks like a secret and was left out');
  return settings;
}

/** Context for decoding a document. */
export type DecodeContext = {
  readonly table: readonly Message[];
  readonly texts: readonly (readonly [string, JsonValue])[];
  readonly env: Env;
  readonly child: (document: unknown, path: string) => AgentState;
  readonly warn: (path: string, what: string) => void;
};

export function decodeAgentState(encoded: EncodedAgentState, ctx: DecodeContext): AgentState {
  const { llmConfig } = encoded;
  return {
    agentId: encoded.agentId,
    parentAgentId: encoded.parentAgentId ?? null,
    createdAt: encoded.createdAt,
    updatedAt: encoded.updatedAt,
    seq: encoded.seq ?? 0,
    executionCount: encoded.executionCount,
    llmConfig: llmConfig
      ? ({
          ...llmConfig,
          model: llmConfig.model ?? null,
          settings: decodeSettings(llmConfig.settings, ctx, 'llmConfig.settings'),
        } as AgentState['llmConfig'])
      : null,
    context: {
      store: decodeStore(encoded, ctx),
      metadata: encoded.metadata ?? {},
      systemPrompt: encoded.systemPrompt ?? '',
      responseFormat: (encoded.responseFormat ?? null) as AgentState['context']['responseFormat'],
    },
    plugins: encoded.plugins ?? {},
    texts: Object.fromEntries(ctx.texts),
    retained: decodeRetained(encoded, ctx),
    spentBefore: encoded.spentBefore ?? null,
    execution: encoded.execution ? decodeExecution(encoded.execution, ctx, 'execution') : null,
  };
}

function decodeRetained({ retained }: EncodedAgentState, ctx: DecodeContext): AgentState['retained'] {
  if (retained === undefined) return {};
  const messages = messagesOf(ctx.table, retained.messages, 'retained.messages');
  return Object.fromEntries(
    retained.keys.flatMap((key, index) => {
      const message = messages[index];
      return message === undefined ? [] : [[key, message]];
    }),
  );
}

/** Merges sections of one name in order, and keeps empty sections. */
function decodeStore({ sections = [] }: EncodedAgentState, ctx: DecodeContext): MessageStore {
  return sections.reduce((store, { name, messages }, index) => {
    const list = messagesOf(ctx.table, messages, `sections.${index}.messages`);
    if (store.sections.some((section) => section.name === name)) return append(store, list, name);
    return list.length === 0
      ? { sections: [...store.sections, { name, messages: list }] }
      : withSection(store, name, list);
  }, empty());
}

export function decodeExecution(encoded: EncodedExecution, ctx: DecodeContext, path: string): ExecutionState {
  const { status } = encoded;
  const isFinished = status !== 'pending' && status !== 'in-progress';
  const base = {
    executionId: encoded.executionId,
    startedAt: readTime(encoded.startedAt) ?? ctx.env.now(),
    stepExecutions: (encoded.steps ?? []).map((step, index) =>
      decodeStepExecution(step, ctx, `${path}.steps.${index}`),
    ),
    continuation: decodeContinuation(encoded.continuation),
    currentStepStartedAt: encoded.currentStepStartedAt ?? null,
    currentStep: encoded.currentStep ? decodeStep(encoded.currentStep, ctx, `${path}.currentStep`) : null,
    waitedMs: encoded.waitedMs ?? 0,
    waitingSince: encoded.waitingSince ?? null,
    errors: (encoded.errors ?? []).map(decodeError),
    extraUsage: encoded.extraUsage === undefined ? null : decodeUsage(encoded.extraUsage),
  };
  return isFinished
    ? { ...base, status, completedAt: readTime(encoded.completedAt) }
    : { ...base, status, completedAt: null };
}

export function decodeStepExecution(
  encoded: EncodedStepExecution,
  ctx: DecodeContext,
  path: string,
): StepExecution {
  const step = decodeStep(encoded.step, ctx, `${path}.step`);
  const { startedAt, completedAt, durationMs } = encoded;
  return {
    id: step.id,
    step,
    continuation: decodeContinuation(encoded.continuation),
    startedAt,
    completedAt,
    durationMs,
  };
}

export function decodeStep(encoded: EncodedStep, ctx: DecodeContext, path: string): AgentStep {
  const outputMessages = messagesOf(ctx.table, encoded.output ?? [], `${path}.output`);
  const toolExecutions = (encoded.tools ?? []).map((tool, index) =>
    decodeToolExecution(tool, outputMessages, ctx, `${path}.tools.${index}`),
  );
  return {
    id: encoded.id,
    sent: encoded.sent === undefined ? null : decodeSent(encoded.sent, ctx, `${path}.sent`),
    outputMessages,
    inferenceResponse: decodeResponse(encoded.response),
    toolExecutions,
    errors: (encoded.errors ?? []).map((error, index) => {
      if (typeof error !== 'number') return decodeError(error);
      return (
        toolExecutions[error]?.error ??
        missing(`${path}.errors.${index}`, `there is no error of tool execution ${error}`)
      );
    }),
    extraUsage: encoded.extraUsage === undefined ? null : decodeUsage(encoded.extraUsage),
  };
}

export function decodeToolExecution(
  encoded: EncodedToolExecution,
  messages: readonly Message[],
  ctx: DecodeContext,
  path: string,
): ToolExecution {
  const { id, approval, providerCallId } = encoded;
  const part = encoded.name === undefined ? findCall(messages, id) : null;
  const name =
    encoded.name ??
    part?.toolName ??
    missing(path, `call ${JSON.stringify(id)} is in no message of its step`);
  return {
    id: encoded.id,
    toolCall: {
      id,
      name,
      input: encoded.input ?? part?.input ?? null,
      providerCallId: providerCallId ?? null,
    },
    status: encoded.status,
    ...decodeResult(encoded, messages, path),
    error: encoded.error ? decodeError(encoded.error) : null,
    startedAt: encoded.startedAt ?? null,
    completedAt: encoded.completedAt ?? null,
    durationMs: encoded.durationMs ?? null,
    childState: encoded.childState === undefined ? null : ctx.child(encoded.childState, `${path}.childState`),
    pluginWrites: encoded.pluginWrites ?? [],
    progress: encoded.progress ?? null,
    settledAt: encoded.settledAt ?? null,
    approval: approval
      ? {
          reason: approval.reason ?? null,
          cause: approval.cause ?? null,
          decision: approval.decision ?? null,
          comment: approval.comment ?? null,
          isEdited: approval.isEdited ?? false,
        }
      : null,
  };
}

function decodeResult(
  encoded: EncodedToolExecution,
  messages: readonly Message[],
  path: string,
): Pick<ToolExecution, 'result'> {
  if (encoded.result !== undefined) return { result: encoded.result };
  if (encoded.resultIn !== 'message') return {};
  const found = findResult(messages, encoded.id);
  return { result: (found ?? missing(`${path}.result`, 'the message that holds it is missing')).output };
}

function decodeResponse(encoded: EncodedStep['response']): InferenceResponse | null {
  if (encoded === undefined) return null;
  const { id = null, model = null, finishReason, explanation, durationMs, firstDeltaMs = null } = encoded;
  return {
    id,
    model,
    finishReason,
    ...(explanation === undefined ? {} : { explanation }),
    usage: decodeUsage(encoded.usage),
    durationMs,
    firstDeltaMs,
  };
}

export function decodeContinuation(encoded: EncodedContinuation | undefined): ExecutionContinuation {
  if (encoded === undefined) return fresh();
  const { stopSignals = [], isContinuationRequested = false, overridden = [] } = encoded;
  return {
    stopSignals: stopSignals.map(decodeSignal),
    isContinuationRequested,
    overridden: overridden.map(decodeSignal),
  };
}

function decodeSignal({ reason, message = '', context = {}, source = null, at }: EncodedSignal): StopSignal {
  return { reason, message, context, source, at };
}

function decodeUsage(encoded: EncodedUsage | undefined): Usage {
  const known = Object.fromEntries(Object.entries(encoded ?? {}).filter(([, value]) => value !== undefined));
  return usageOf({ totalTokens: 0, ...known });
}

function decodeError({ name, message, code = null, data = {}, cause = null }: EncodedError): ErrorInfo {
  return { name, message, code, data, cause: cause === null ? null : decodeError(cause) };
}

function readTime(time: number | string | null | undefined): number | null {
  if (typeof time !== 'string') return time ?? null;
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? null : parsed;
}

function missing(path: string, what: string): never {
  throw errors.stateInvalid({ path, what });
}
