import { context, propagation, trace, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createAgentSession, defineAgent, defineTool, proxyInference } from '@vitrine/core';
import { tracedFetch, traceSession } from '@vitrine/otel';
import { createInferenceProxy } from '@vitrine/proxy';
import { requestListener } from '@vitrine/proxy/node';
import { offlineModel } from '@vitrine/proxy/offline';
import { tracedModels } from '@vitrine/proxy/otel';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { close, listen, type OtlpSpan, pathsOf, startReceiver } from '../otel/otlp-receiver.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterAll(() => {
  context.disable();
  propagation.disable();
});

/** The spans that a collector receives of a run, of a session and the proxy that it asks. */
async function spansOfRun(
  instrument: (tracer: Tracer) => void = () => undefined,
): Promise<readonly OtlpSpan[]> {
  const receiver = await startReceiver();
  const provider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` }))],
  });
  instrument(provider.getTracer('fetch'));
  const models = tracedModels([offlineModel({ paceMs: 0 })], {
    tracer: provider.getTracer('proxy'),
    conventions: 'genai-0.1',
  });
  const proxy = createInferenceProxy({ models, log: () => undefined });
  // As the HTTP instrumentation of a server does.
  const fetch = (request: Request): Promise<Response> => {
    const carrier = Object.fromEntries(request.headers);
    return context.with(propagation.extract(context.active(), carrier), async () => proxy.fetch(request));
  };
  const server = createServer(requestListener({ fetch }));
  const url = await listen(server);
  try {
    const agent = defineAgent({
      name: 'helper',
      systemPrompt: 'Be brief.',
      inference: proxyInference({ url, fetch: tracedFetch }),
      tools: [
        defineTool({
          name: 'get_weather',
          description: 'The weather of a city',
          input: z.object({ city: z.string() }),
          execute: () => 'sunny',
        }),
      ],
    });
    const session = createAgentSession({ agent });
    const end = traceSession(session, provider.getTracer('session'));
    await session.sendMessage('Hello');
    await session.dispose();
    end();
    await provider.forceFlush();
    return receiver.spans();
  } finally {
    await provider.shutdown();
    await close(server);
    await receiver.close();
  }
}

const chat = 'invoke_agent helper > step 1 > chat';
const aboveIt = ['invoke_agent helper', 'invoke_agent helper > step 1'];

it('a collector receives one trace of a session and of the proxy that it asks', async () => {
  const spans = await spansOfRun();
  expect(pathsOf(spans)).toEqual([...aboveIt, chat, `${chat} > chat offline`]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
});

it('the span of an instrumented fetch stands below the model call of the session', async () => {
  const plain = globalThis.fetch;
  onTestFinished(() => void (globalThis.fetch = plain));
  const spans = await spansOfRun((tracer) => {
    // As the instrumentations of OpenTelemetry do: below the active span, with a header of their own.
    globalThis.fetch = (input, init) => {
      const span = tracer.startSpan('POST');
      const headers = new Headers(init?.headers);
      propagation.inject(trace.setSpan(context.active(), span), headers, {
        set: (carrier, name, value) => carrier.set(name, value),
      });
      return plain(input, { ...init, headers }).finally(() => span.end());
    };
  });
  expect(pathsOf(spans)).toEqual([...aboveIt, chat, `${chat} > POST`, `${chat} > POST > chat offline`]);
});
