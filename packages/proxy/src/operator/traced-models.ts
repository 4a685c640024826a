import { type Attributes, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { InferenceClient, InferenceEvent, InferenceRequest, JsonValue } from '@vitrine/core';
import type { ProxyModel } from '../providers/proxy-model.ts';

/** Options of tracing. */
export type TraceOptions = {
  /** The tracer. Default: the one of the global provider, named `@vitrine/proxy`. */
  readonly tracer?: Tracer;
  readonly conventions: GenAiConventions;
};

/**
 * Wraps models so that each call is an OpenTelemetry span `chat {model}` with the attributes of the GenAI conventions:
 * model, settings, tokens and the end of the call, without message text. It needs the package `@opentelemetry/api`.
 */
export function tracedModels(models: readonly ProxyModel[], options: TraceOptions): ProxyModel[] {
  const { tracer = trace.getTracer('@vitrine/proxy'), conventions } = options;
  const withSpans = (model: ProxyModel): ProxyModel => ({
    ...model,
    client: traced(model, tracer, conventions),
  });
  return models.map(({ list, ...model }) => ({
    ...withSpans(model),
    ...(list && { list: async () => (await list()).map(withSpans) }),
  }));
}

function traced(model: ProxyModel, tracer: Tracer, conventions: GenAiConventions): InferenceClient {
  return {
    async *stream(request, call) {
      const attributes = requestAttributes(model, request, conventions);
      const span = tracer.startSpan(`chat ${modelName(model)}`, { kind: SpanKind.CLIENT, attributes });
      try {
        for await (const event of model.client.stream(request, call)) {
          span.setAttributes(eventAttributes(event, conventions));
          if (event.type === 'error') fail(span);
          yield event;
        }
      } catch (error) {
        // Errors may contain keys. An abort was requested, so it is not reported.
        if (!call.signal.aborted) fail(span.setAttribute('error.type', nameOf(error)));
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function fail(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER';
}

/**
 * The version of the GenAI semantic conventions that names attributes. They are not stable: up to `1.36` the provider
 * is `gen_ai.system`, in `1.41` it is `gen_ai.provider.name`, and tokens of caches and of thoughts are counted
 * separately.
 */
export type GenAiConventions = '1.36' | '1.41';

/** Providers that have another name in the conventions. */
const providerNames: Readonly<Record<string, string>> = { google: 'gcp.gemini' };

/** Settings by their attribute. */
const settings: Readonly<Record<string, string>> = {
  maxOutputTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  presencePenalty: 'gen_ai.request.presence_penalty',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  stopSequences: 'gen_ai.request.stop_sequences',
  seed: 'gen_ai.request.seed',
};

/** The provider's name of a model: its id without the provider. */
function modelName({ id }: Pick<ProxyModel, 'id'>): string {
  return id.slice(id.indexOf(':') + 1);
}

/** The attributes that are known before a call; none contain message text. */
function requestAttributes(
  model: Pick<ProxyModel, 'id' | 'provider'>,
  request: InferenceRequest,
  conventions: GenAiConventions,
): Attributes {
  const provider = conventions === '1.36' ? 'gen_ai.system' : 'gen_ai.provider.name';
  const asked = Object.entries(settings)
    .map(([name, attribute]) => [attribute, request.settings[name]] as const)
    .filter(([, value]) => isPlain(value));
  return {
    'gen_ai.operation.name': 'chat',
    [provider]: providerNames[model.provider] ?? model.provider,
    'gen_ai.request.model': modelName(model),
    ...(request.responseFormat === null ? {} : { 'gen_ai.output.type': request.responseFormat.type }),
    ...Object.fromEntries(asked),
  };
}

/** The attributes that an event of the answer adds. */
function eventAttributes(event: InferenceEvent, conventions: GenAiConventions): Attributes {
  if (event.type === 'start')
    return {
      ...(event.id === null ? {} : { 'gen_ai.response.id': event.id }),
      ...(event.model === null ? {} : { 'gen_ai.response.model': event.model }),
    };
  if (event.type === 'error') return { 'error.type': event.code };
  if (event.type !== 'finish') return {};
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = event.usage;
  return {
    'gen_ai.response.finish_reasons': [event.finishReason.replaceAll('-', '_')],
    'gen_ai.usage.input_tokens': inputTokens ?? undefined,
    'gen_ai.usage.output_tokens': outputTokens ?? undefined,
    ...(conventions === '1.36'
      ? {}
      : {
          'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
          'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
          'gen_ai.usage.reasoning.output_tokens': reasoningTokens,
        }),
  };
}

function isPlain(value: JsonValue | undefined): boolean {
  return typeof value === 'number' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}
