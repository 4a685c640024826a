import * as agents from '@openai/agents';
import { OpenAIAgentsInstrumentation } from '@arizeai/openinference-instrumentation-openai-agents';
import { OpenTelemetry } from '@ai-sdk/otel';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { registerTelemetry } from 'ai';

// node --import ./spans.mjs agent.mjs: the spans of the AI SDK and of OpenAI Agents go where OTEL_EXPORTER_OTLP_ENDPOINT
// says, as the pages of these libraries set it up.

const tracerProvider = new BasicTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
trace.setGlobalTracerProvider(tracerProvider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
registerTelemetry(new OpenTelemetry());
new OpenAIAgentsInstrumentation({ tracerProvider }).manuallyInstrument(agents);
process.once('beforeExit', () => void tracerProvider.shutdown());
