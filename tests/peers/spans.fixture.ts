import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type Span,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Tracer } from '@opentelemetry/api';

/** A tracer of the real SDK, its ended spans, and the ids of those that began. */
export type TestTracer = {
  readonly tracer: Tracer;
  readonly spans: () => readonly ReadableSpan[];
  readonly begun: string[];
  readonly ended: string[];
};

/** Creates a tracer that keeps its spans in memory, or gives them to other processors too. */
export function testTracer(...processors: readonly SpanProcessor[]): TestTracer {
  const exporter = new InMemorySpanExporter();
  const [begun, ended]: string[][] = [[], []];
  const counting: SpanProcessor = {
    onStart: (span: Span) => void begun?.push(span.spanContext().spanId),
    onEnd: (span: ReadableSpan) => void ended?.push(span.spanContext().spanId),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const provider = new BasicTracerProvider({
    spanProcessors: [counting, new SimpleSpanProcessor(exporter), ...processors],
  });
  return {
    tracer: provider.getTracer('test'),
    spans: () => exporter.getFinishedSpans(),
    begun: begun ?? [],
    ended: ended ?? [],
  };
}

/** A time of a span in milliseconds. */
export function msOf([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
