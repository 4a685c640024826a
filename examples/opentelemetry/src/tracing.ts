import { propagation } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { traceSessions } from '@vitrine/otel';

const provider = new TracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'page' }),
  // The development server passes this address on to the collector.
  spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: '/v1/traces' }) })],
});
propagation.setGlobalPropagator(new W3CTraceContextPropagator());

// The change: every session of the page makes spans.
traceSessions(provider.getTracer('page'));
