import { type InferenceEvent, proxyInference } from '@vitrine/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../servers/test-server.ts';
import { frame, writtenStreams } from '../upstream/provider-streams.ts';
import { startUpstream, type Upstream } from '../upstream/upstream.ts';
import { installRuntimes, type Runtimes } from './runtimes.ts';
import { chunk } from '../upstream/chat-chunk.ts';
import { request } from '../upstream/plain-request.ts';

let upstream: Upstream;
let runtimes: Runtimes;
beforeAll(async () => {
  [upstream, runtimes] = await Promise.all([startUpstream(), installRuntimes()]);
});
afterAll(async () => {
  runtimes.remove();
  await upstream.close();
});

describe.each(['Bun', 'Deno', 'workerd'] as const)('the proxy on %s', (name) => {
  let server: TestServer;
  beforeAll(async () => {
    const model = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, OPENAI_COMPATIBLE_API_KEY: 'k' };
    server = await runtimes.start(name, {
      ...model,
      VITRINE_MODELS: 'openai-compatible:m',
      VITRINE_RESUME_GRACE_MS: '0',
    });
  });
  afterAll(() => server.stop());

  async function answer(signal = new AbortController().signal): Promise<InferenceEvent[]> {
    const events: InferenceEvent[] = [];
    const client = proxyInference({ url: server.url, reconnect: false });
    for await (const event of client.stream(request, { signal })) events.push(event);
    return events;
  }

  const textIn = (events: readonly InferenceEvent[]): string =>
    events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('');

  const answers = writtenStreams().filter(({ wire }) => wire === 'openai-compatible');

  it.each(answers.map((stream) => [stream.name, stream] as const))(
    'the proxy carries %s whole, one byte at a time',
    async (_name, stream) => {
      upstream.behave = { kind: 'answer', body: frame(stream), size: 1 };
      const events = await answer();
      const { text = '', errorCode, finishReason } = stream.expected;
      expect(textIn(events)).toBe(text);
      const last = events.at(-1);
      expect(events.filter(({ type }) => type === 'finish' || type === 'error')).toEqual([last]);
      if (errorCode === undefined) expect(last).toMatchObject({ type: 'finish', finishReason });
      else expect(last).toMatchObject({ type: 'error', code: errorCode });
      expect(JSON.stringify(events)).not.toContain('secret-canary');
    },
  );

  it('the proxy forwards an answer while it arrives', async () => {
    upstream.behave = { kind: 'stall', body: chunk('first') };
    const controller = new AbortController();
    const client = proxyInference({ url: server.url });
    for await (const event of client.stream(request, { signal: controller.signal }))
      if (event.type === 'text-delta') break;
    await expect.poll(() => upstream.open()).toBe(0);
  });

  it.each([
    ['before the first byte', { kind: 'hang' }, 300],
    ['in the middle of an answer', { kind: 'endless', body: chunk('again'), everyMs: 5 }, 300],
  ] as const)('the proxy ends the upstream of a reader that leaves %s', async (_when, behave, afterMs) => {
    for (let times = 0; times < 5; times++) {
      upstream.behave = behave;
      const controller = new AbortController();
      const reading = answer(controller.signal);
      await expect.poll(() => upstream.open()).toBe(1);
      setTimeout(() => controller.abort(new Error('enough')), afterMs);
      await expect(reading).rejects.toThrow('enough');
      await expect.poll(() => upstream.open()).toBe(0);
    }
  });

  it('the proxy ends the upstream of a reader whose connection is lost', async () => {
    for (let times = 0; times < 5; times++) {
      upstream.behave = { kind: 'endless', body: chunk('again'), everyMs: 5 };
      const controller = new AbortController();
      const { body } = await fetch(`${server.url}/v1/inference`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
        signal: controller.signal,
      });
      const reader = body?.getReader();
      for (let reads = 0; reads < 5; reads++) await reader?.read();
      expect(upstream.open()).toBe(1);
      controller.abort();
      await expect.poll(() => upstream.open()).toBe(0);
    }
  });

  it('the proxy reports the error of an upstream, without its key', async () => {
    upstream.behave = { kind: 'status', status: 401 };
    const events = await answer();
    expect(events.map(({ type }) => type)).toEqual(['error']);
    expect(JSON.stringify(events)).not.toContain('secret-canary');
  });

  it('the proxy refuses a name that is not its own', async () => {
    const response = await fetch(`${server.url}/v1/models`, { headers: { host: 'evil.example' } });
    // Node's fetch sends its own Host header; the origin of a foreign page is what it lets us set.
    const foreign = await fetch(`${server.url}/v1/inference`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    expect([response.status, foreign.status]).toEqual([200, 403]);
  });
});
