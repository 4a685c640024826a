import type { Env } from '../graph/env.ts';
import { type ErrorInfo, errorInfo, maxCauses } from '../graph/error-info.ts';
import { type LlmConfig, ownLlmConfig, type ResponseFormat } from '../graph/llm-config.ts';
import { of as signalOf, type StopSignal } from '../graph/stop-signal.ts';
import { isPlainObject } from '../kit/json.ts';
import { textOrNull } from '../kit/text.ts';
import { AgentError } from '../kit/agent-error.ts';
import { toJsonObject } from '../kit/to-json.ts';

/**
 * Copies a signal that user code added into the shape that state can hold. @throws AgentError
 * `signal-invalid` for an unknown reason.
 */
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

/**
 * Copies an error that user code put into a state: a thrown value or the data of an error. Null means no
 * error.
 */
export function checkedError(error: unknown, depth = 0): ErrorInfo | null {
  if (error === undefined || error === null) return null;
  if (!isPlainObject(error)) return errorInfo(error);
  const { name, message, code, data, cause } = error;
  return {
    name: textOrNull(name) ?? 'Error',
    message: textOrNull(message) ?? '',
    code: textOrNull(code),
    data: toJsonObject(data),
    // The depth limit ends a cause that leads back to itself.
    cause: isPlainObject(cause) && depth < maxCauses ? checkedError(cause, depth + 1) : null,
  };
}

/**
 * Copies the model and settings that user code chose. @throws AgentError `llm-settings-secret` for a
 * setting that looks like a key.
 */
export function checkedLlmConfig(config: LlmConfig | null): LlmConfig | null {
  return isPlainObject(config) ? ownLlmConfig(config as LlmConfig) : null;
}

/**
 * Copies the response format that user code chose. @throws AgentError `hook-contract` for an invalid
 * format.
 */
export function checkedResponseFormat(format: unknown): ResponseFormat | null {
  if (format === undefined || format === null) return null;
  const { type, schema, name } = format as { readonly [key: string]: unknown };
  if (type === 'text') return { type };
  if (type === 'json' && isPlainObject(schema))
    return { type, schema: toJsonObject(schema), ...(typeof name === 'string' ? { name } : {}) };
  throw new AgentError(
    'hook-contract',
    "A response format is { type: 'text' } or { type: 'json', schema }; it was given as something else.",
  );
}
