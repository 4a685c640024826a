import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { type InferenceClient, type InferenceEvent, type InferenceRequest, Usage } from '@vitrine/core';
import { describe, expect, it, vi } from 'vitest';
import { createInferenceProxy } from '../../packages/proxy/src/create-inference-proxy.ts';
import { at, delta, post, puppet } from '../../packages/proxy/src/stream/served.fixture.ts';
import { type GenAiConventions, tracedModels } from '../../packages/proxy/src/operator/traced-models.ts';
import { request } from '../upstream/plain-request.ts';

const usage = Usage.of({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, reasoningTokens: 2 });
const answer: InferenceEvent[] = [
  { type: 'start', id: 'resp_1', model: 'm-2026' },
  delta('Hello canary'),
  { type: 'finish', finishReason: 'tool-calls', usage },
];
const saying = (...events: InferenceEvent[]): InferenceClient => ({
  async *stream() {
    yield* events;
  },
});

/** A proxy with traced calls, and the spans of the ended calls. */
function traced(client: InferenceClient, conventions: GenAiConventions = '1.41') {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const models = tracedModels([{ id: 'google:m', name: 'Model M', provider: 'google', client }], {
    tracer: provider.getTracer('test'),
    conventions,
  });
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return { proxy: createInferenceProxy({ models, log: () => undefined }), client: models[0]?.client, spans };
}

const asked: InferenceRequest = {
  ...request,
  settings: { maxOutputTokens: 50, temperature: 0.5, stopSequences: ['END'], reasoning: 'low' },
};

async function read(client: InferenceClient | undefined): Promise<void> {
  const { signal } = new AbortController();
  for await (const event of client?.stream(asked, { signal }) ?? []) void event;
}

const shared = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'm',
  'gen_ai.request.max_tokens': 50,
  'gen_ai.request.temperature': 0.5,
  'gen_ai.request.stop_sequences': ['END'],
  'gen_ai.response.id': 'resp_1',
  'gen_ai.response.model': 'm-2026',
  'gen_ai.response.finish_reasons': ['tool_calls'],
  'gen_ai.usage.input_tokens': 10,
  'gen_ai.usage.output_tokens': 5,
};

describe('a call of a traced model', () => {
  it.each<[GenAiConventions, object]>([
    ['1.36', { 'gen_ai.system': 'gcp.gemini' }],
    [
      '1.41',
      {
        'gen_ai.provider.name': 'gcp.gemini',
        'gen_ai.usage.cache_read.input_tokens': 4,
        'gen_ai.usage.cache_creation.input_tokens': 0,
        'gen_ai.usage.reasoning.output_tokens': 2,
      },
    ],
  ])(
    'a traced call is a span with the names of version %s and without message text',
    async (conventions, own) => {
      const { client, spans } = traced(saying(...answer), conventions);
      await read(client);
      expect(spans()).toHaveLength(1);
      expect(spans()[0]).toMatchObject({ name: 'chat m', kind: SpanKind.CLIENT });
      expect(spans()[0]?.attributes).toEqual({ ...shared, ...own });
      expect(spans()[0]?.status.code).toBe(SpanStatusCode.UNSET);
    },
  );

  it('the span of a call that fails has its code', async () => {
    const event = { code: 'upstream-timeout', message: 'canary', retryable: true, retryAfterMs: null };
    const { client, spans } = traced(saying({ type: 'error', ...event }));
    await read(client);
    expect(spans()[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'upstream-timeout' },
    });
  });

  it('the span of a call that throws has the kind of the error and not its message', async () => {
    const { client, spans } = traced({
      // oxlint-disable-next-line require-yield -- that is the case
      async *stream() {
        throw new TypeError('canary');
      },
    });
    await expect(read(client)).rejects.toThrow('canary');
    const [span] = spans();
    expect(span).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'TypeError' },
    });
    expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain('canary');
  });

  it('a span ends with its stream, also when the stream is aborted', async () => {
    const model = puppet();
    const { proxy, spans } = traced(model);
    const streamed = await proxy.fetch(post());
    model.say(delta('a'));
    expect(spans()).toHaveLength(0);
    await proxy.fetch(at(streamed.headers.get('x-inference-id'), { method: 'DELETE' }));
    await vi.waitFor(() => expect(spans()).toHaveLength(1));
    expect(spans()[0]?.status.code).toBe(SpanStatusCode.UNSET);
    await streamed.text();
  });
});
