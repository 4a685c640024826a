import { type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { InferenceClient } from '@vitrine/core';
import type { ProxyModel } from '../../providers/proxy-model.ts';
import { eventAttributes, type GenAiConventions, modelName, requestAttributes } from './conventions.ts';

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
  return models.map((model) => ({ ...model, client: traced(model, tracer, conventions) }));
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
