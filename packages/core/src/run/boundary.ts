import type { HookField, HookFields } from '../agent/hook.ts';
import { checkSettings, type LlmConfig, ownLlmConfig, type ResponseFormat } from '../graph/llm-config.ts';
import type { Env } from '../graph/env.ts';
import { type InferenceResponse, toFinishReason } from '../graph/inference-response.ts';
import { isToolOutcome } from '../graph/tool-execution.ts';
import { of as usageOf, type Usage } from '../graph/usage.ts';
import type { ToolCall, ToolChoice, ToolExecution } from '../graph/types.ts';
import { isPlainObject, present } from '../kit/json.ts';
import { maskSecrets } from '../kit/mask-secrets.ts';
import { shownShape, textOf, textOrNull } from '../kit/text.ts';
import { toJson, toJsonObject } from '../kit/to-json.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { copyErrorInfo } from '../graph/copy-error-info.ts';
import { type ErrorInfo, of as errorInfo } from '../graph/error-info.ts';
import { of as signalOf, type StopSignal } from '../graph/stop-signal.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { Message } from '../graph/message.ts';
import { normalizeMessage } from '../graph/normalize-message.ts';

/** The error for a replacement of the wrong shape; its message says what is wrong. */
export class WrongShape extends Error {}

type Raw<Value> = { readonly [Key in keyof Value]?: unknown };
type Checkers = {
  readonly [Field in HookField]: (raw: object, given: HookFields[Field] | undefined, env: Env) => unknown;
};

/**
 * Copies the value with which a hook replaces a field, in the shape that is read back from storage. Fields
 * left out keep their given value; a value of another kind is rejected, because its meaning is unknown.
 * @throws WrongShape, or AgentError `message-invalid` or `llm-settings-secret`
 */
export function checkedField<Field extends HookField>(
  field: Field,
  value: unknown,
  given: HookFields[Field] | undefined,
  env: Env,
): HookFields[Field] {
  if (value === given && given !== undefined) return given;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (field === 'errors'))
    throw new WrongShape(`it is ${shownShape(value)}`);
  return checkers[field](value, given, env) as HookFields[Field];
}

const checkers: Checkers = {
  request: checkedRequest,
  response: checkedResponse,
  toolCall: checkedCall,
  blocked: ({ reason, stopBatch }: Raw<HookFields['blocked']>) => ({
    reason: textOf(reason) || 'no reason was given',
    stopBatch: stopBatch === true,
  }),
  execution: checkedExecution,
  errors: (list) => (list as unknown[]).flatMap((error) => checkedError(error) ?? []),
};

function checkedRequest(raw: Raw<InferenceRequest>, given: InferenceRequest | undefined, env: Env): object {
  const { model, messages, tools, toolChoice, responseFormat, settings } = { ...given, ...present(raw) };
  if (!Array.isArray(messages)) throw new WrongShape(`its messages are ${shownShape(messages)}`);
  return {
    model: textOrNull(model),
    // The list is copied, because the hook may still change its own.
    messages:
      messages === given?.messages ? messages : [...ownedMessages(messages, given?.messages ?? [], env)],
    tools: tools === given?.tools ? tools : checkedTools(tools),
    toolChoice: checkedChoice(toolChoice),
    responseFormat:
      responseFormat === given?.responseFormat ? responseFormat : checkedResponseFormat(responseFormat),
    settings: settings === given?.settings ? settings : checkSettings(settings, 'request'),
  };
}

function checkedTools(list: unknown): InferenceRequest['tools'] {
  if (!Array.isArray(list)) throw new WrongShape(`its tools are ${shownShape(list)}`);
  return list.map((tool: unknown) => {
    const { name, description, inputSchema } = (tool ?? {}) as { readonly [key: string]: unknown };
    if (typeof name !== 'string' || name === '') throw new WrongShape('one of its tools has no name');
    return { name, description: textOf(description), inputSchema: toJsonObject(inputSchema) };
  });
}

function checkedChoice(choice: unknown): ToolChoice {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const { toolName } = (choice ?? {}) as { readonly toolName?: unknown };
  if (typeof toolName === 'string') return { toolName };
  throw new WrongShape(`its toolChoice is ${shownShape(choice)}`);
}

function checkedResponse(raw: Raw<InferenceResponse>, given: InferenceResponse | undefined): object {
  const { id, model, finishReason, explanation, usage, durationMs, firstDeltaMs } = {
    ...given,
    ...present(raw),
  };
  const { explanation: _said, ...kept } = given ?? {};
  return {
    ...kept,
    id: textOrNull(id),
    model: textOrNull(model),
    finishReason: toFinishReason(finishReason),
    ...(typeof explanation === 'string' && { explanation: maskSecrets(explanation) }),
    // Reported usage is kept, also when a hook drops it.
    usage: usageOf((isPlainObject(usage) ? usage : given?.usage) as Partial<Usage> | undefined),
    durationMs: isTime(durationMs) ? durationMs : (given?.durationMs ?? 0),
    firstDeltaMs: isTime(firstDeltaMs) ? firstDeltaMs : null,
  };
}

/** Copies a tool call; its ids stay those of the original call. */
function checkedCall(raw: Raw<ToolCall>, given: ToolCall | undefined): object {
  const { name, input } = { ...given, ...present(raw) };
  if (typeof name !== 'string') throw new WrongShape(`its name is ${shownShape(name)}`);
  return { ...given, name, input: toJson(input) };
}

/** Requires an outcome as the status: with any other status the call would start again for ever. */
function checkedExecution(raw: Raw<ToolExecution>, given: ToolExecution | undefined): object {
  const { status, error } = { ...given, ...present(raw) };
  if (!isToolOutcome(status))
    throw new WrongShape(`its status is ${shownShape(status)}, which is no outcome`);
  return {
    ...given,
    status,
    error: checkedError(error),
    ...('result' in raw ? { result: toJson(raw.result) } : {}),
  };
}

/** False for minus zero, NaN and infinity, which JSON cannot hold. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0);
}

/** Copies a signal that user code added. @throws AgentError `signal-invalid` for an unknown reason */
export function checkedSignal(signal: StopSignal, env: Env): StopSignal {
  const { reason, message, context, source, at } = signal;
  const init = {
    message: textOrNull(message) ?? '',
    context: toJsonObject(context),
    source: textOrNull(source),
  };
  const checked = signalOf(reason, init, env);
  return Number.isSafeInteger(at) ? { ...checked, at } : checked;
}

/** Copies an error that user code put into a state: a thrown value or the data of an error. Null means no error. */
export function checkedError(error: unknown): ErrorInfo | null {
  if (error === undefined || error === null) return null;
  return isPlainObject(error) ? copyErrorInfo(error) : errorInfo(error);
}

/** Copies model and settings that user code chose. @throws AgentError `llm-settings-secret` */
export function copyLlmConfig(config: LlmConfig | null): LlmConfig | null {
  return isPlainObject(config) ? ownLlmConfig(config as LlmConfig) : null;
}

/** Copies the response format that user code chose. @throws AgentError `hook-contract` for an invalid format. */
export function checkedResponseFormat(format: unknown): ResponseFormat | null {
  if (format === undefined || format === null) return null;
  const { type, schema, name } = format as { readonly [key: string]: unknown };
  if (type === 'text') return { type };
  if (type === 'json' && isPlainObject(schema))
    return { type, schema: toJsonObject(schema), ...(typeof name === 'string' ? { name } : {}) };
  const message =
    "A response format is { type: 'text' } or { type: 'json', schema }; it was given as something else.";
  throw new AgentError('hook-contract', message);
}

/**
 * Copies the messages that a compiler or hook built, so that a stored step may hold them. Messages of `before` keep
 * their identity, and with it their memoised values. Returns the same list when all messages are from `before`.
 * @throws AgentError `message-invalid` for a value that is no message.
 */
export function ownedMessages(
  list: readonly unknown[],
  before: Iterable<Message>,
  env: Env,
): readonly Message[] {
  const known = new Set<unknown>(before);
  if (list.every((message) => known.has(message))) return list as readonly Message[];
  return list.map((message) => (known.has(message) ? (message as Message) : normalizeMessage(message, env)));
}
