import type { Env } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { LlmConfig } from '../graph/llm-config.ts';
import { checkSettings } from '../graph/check-settings.ts';
import { of as signalOf, type StopSignal } from '../graph/stop-signal.ts';
import { isPlainObject } from '../kit/is-plain-object.ts';
import { textOrNull } from '../kit/text-of.ts';
import { toJson, toJsonObject } from '../kit/to-json.ts';

/** A signal that user code added, as state may hold it. @throws AgentError `signal-invalid` for an unknown reason. */
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

/** An error that user code put into a state, as state may hold it. */
export function normalizeErrorInfo(error: ErrorInfo): ErrorInfo {
  const { name, message, code, data, cause } = error;
  return {
    name: textOrNull(name) ?? 'Error',
    message: textOrNull(message) ?? '',
    code: textOrNull(code),
    data: toJsonObject(data),
    cause: isPlainObject(cause) ? normalizeErrorInfo(cause as ErrorInfo) : null,
  };
}

/** Model and settings that user code chose. @throws AgentError `llm-settings-secret` for a setting that looks like a key. */
export function checkedLlmConfig(config: LlmConfig | null): LlmConfig | null {
  if (!isPlainObject(config)) return null;
  const { model, settings, prices } = config;
  return {
    model: textOrNull(model),
    settings: checkSettings(toJsonObject(settings)),
    ...(prices === undefined ? {} : { prices: toJson(prices) as LlmConfig['prices'] }),
  } as LlmConfig;
}
