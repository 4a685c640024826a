import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createAgentSession, defineAgent, defineTool, proxyInference } from '@vitrine/core';
import { tracedFetch, traceSession } from '@vitrine/core/otel';
import { createInferenceProxy } from '@vitrine/proxy';
import { requestListener } from '@vitrine/proxy/node';
import { offlineModel } from '@vitrine/proxy/offline';
import { tracedModels } from '@vitrine/proxy/otel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';

/** A span as OTLP sends it in JSON. */
type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
};
type OtlpRequest = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly scope: { name: string }; readonly spans: readonly OtlpSpan[] }[];
  }[];
};

/** A receiver of OTLP over HTTP, as a collector has one. */
async function startReceiver(): Promise<{
  readonly url: string;
  readonly spans: () => readonly (OtlpSpan & { readonly scope: string })[];
  readonly close: () => Promise<void>;
}> {
  const received: (OtlpSpan & { scope: string })[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const data of request.setEncoding('utf8')) body += String(data);
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (!isTraces || request.headers['content-type'] !== 'application/json')
      return response.writeHead(404).end();
    for (const { scopeSpans } of (JSON.parse(body) as OtlpRequest).resourceSpans)
      for (const { scope, spans } of scopeSpans)
        received.push(...spans.map((span) => ({ ...span, scope: scope.name })));
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const url = await listen(server);
  return { url: `${url}/v1/traces`, spans: () => received, close: () => close(server) };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterAll(() => {
  context.disable();
  propagation.disable();
});

it('a collector receives one trace of a session and of the proxy that it asks', async () => {
  const receiver = await startReceiver();
  const provider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: receiver.url }))],
  });
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
    await session.sendMessage('What is the weather in Paris?');
    await session.dispose();
    end();
    await provider.forceFlush();

    const spans = receiver.spans();
    const names = spans.map(({ scope, name }) => `${scope}: ${name}`);
    expect(names).toEqual(
      expect.arrayContaining(['session: invoke_agent helper', 'session: step 1', 'proxy: chat offline']),
    );
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const ofProxy = spans.filter(({ scope }) => scope === 'proxy');
    expect(ofProxy.length).toBeGreaterThan(0);
    for (const { parentSpanId } of ofProxy) {
      const parent = spans.find(({ spanId }) => spanId === parentSpanId);
      expect(parent).toMatchObject({ scope: 'session', name: expect.stringMatching(/^chat/) as string });
    }
    expect(spans.filter(({ parentSpanId }) => !parentSpanId)).toHaveLength(1);
    for (const { startTimeUnixNano, endTimeUnixNano } of spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  } finally {
    trace.disable();
    await provider.shutdown();
    await close(server);
    await receiver.close();
  }
});
