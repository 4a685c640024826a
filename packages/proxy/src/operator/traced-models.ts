import { type Attributes, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { InferenceClient, InferenceEvent, InferenceRequest } from '@vitrine/core';
import {
  answerAttributes,
  type GenAiConventions,
  modelCallAttributes,
  modelSpanName,
} from '@vitrine/otel/internal/conventions';
import type { ProxyModel } from '../providers/proxy-model.ts';

export type { GenAiConventions } from '@vitrine/otel/internal/conventions';

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
    client: traceModel(model, tracer, conventions),
  });
  return models.map(({ list, ...model }) => ({
    ...withSpans(model),
    ...(list && { list: async () => (await list()).map(withSpans) }),
  }));
}

function traceModel(model: ProxyModel, tracer: Tracer, conventions: GenAiConventions): InferenceClient {
  return {
    ...model.client,
    async *stream(request, call) {
      const attributes = requestAttributes(model, request, conventions);
      const span = tracer.startSpan(modelSpanName({ model: model.id }), {
        kind: SpanKind.CLIENT,
        attributes,
      });
      try {
        for await (const event of model.client.stream(request, call)) {
          span.setAttributes(eventAttributes(event, conventions));
          if (event.type === 'error') fail(span);
          yield event;
        }
      } catch (error) {
        // Errors may contain keys. An abort was requested, so it is not reported.
        const name = error instanceof Error ? error.name : '_OTHER';
        if (!call.signal.aborted) fail(span.setAttribute('error.type', name));
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

function requestAttributes(
  { id, provider }: Pick<ProxyModel, 'id' | 'provider'>,
  { settings, responseFormat }: InferenceRequest,
  conventions: GenAiConventions,
): Attributes {
  const call = { model: id, provider, settings, outputType: responseFormat?.type ?? null };
  return modelCallAttributes(call, conventions);
}

function eventAttributes(event: InferenceEvent, conventions: GenAiConventions): Attributes {
  if (event.type === 'error') return { 'error.type': event.code };
  return event.type === 'start' || event.type === 'finish' ? answerAttributes(event, conventions) : {};
}
