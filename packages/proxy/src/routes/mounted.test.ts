import { type InferenceEvent, proxyInference } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { describe, expect, it } from 'vitest';
import { createInferenceProxy, routeOf } from '../create-inference-proxy.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { joinedDeltas } from '../../../../tests/upstream/joined-deltas.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

async function withServer(run: (url: string) => Promise<void>): Promise<void> {
  const client = scriptedInference([{ text: 'Hello', chunks: 5 }]);
  const models = [{ id: 'p:m', name: 'm', provider: 'p', client }];
  const server = await serveInferenceProxy(createInferenceProxy({ models, log: () => undefined }), {
    port: 0,
  });
  try {
    await run(server.url);
  } finally {
    await server.close();
  }
}

describe('a proxy', () => {
  it.each(['', '/api', '/deep/er/api', '/v1', '/api/'])(
    'a proxy answers its client under the path "%s"',
    async (mount) => {
      await withServer(async (url) => {
        const events: InferenceEvent[] = [];
        const signal = AbortSignal.timeout(5000);
        for await (const event of proxyInference({ url: url + mount }).stream(request, { signal }))
          events.push(event);
        expect(
          joinedDeltas(events).map((event) => (event.type === 'text-delta' ? event.delta : event.type)),
        ).toEqual(['start', 'Hello', 'finish']);
      });
    },
  );

  it('a proxy lists, resumes and cancels under the path that it is mounted at', async () => {
    await withServer(async (server) => {
      const url = `${server}/api`;
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect(await (await fetch(`${url}/v1/models?x=/v1/inference`)).json()).toMatchObject({
        models: [{ id: 'p:m' }],
      });
      const first = await fetch(`${url}/v1/inference`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      const text = await first.text();
      const stream = `${url}/v1/inference/${first.headers.get('x-inference-id')}`;
      expect(await (await fetch(stream)).text()).toBe(text);
      expect((await fetch(stream, { method: 'DELETE' })).status).toBe(204);
      expect((await fetch(`${url}/v1/inference/other`, { method: 'DELETE' })).status).toBe(404);
    });
  });

  it.each(['/', '/api', '/v1/modelsx', '/xv1/models', '/v1/models/more', '/v1/inference/a/b', '/api/v1'])(
    'a proxy answers 404 at %s',
    async (path) => {
      await withServer(async (url) => {
        const response = await fetch(url + path);
        expect(response.status).toBe(404);
        expect(await response.json()).toMatchObject({ code: 'not-found' });
      });
    },
  );
});

it('a path is matched by its end, with or without a trailing slash', () => {
  expect(routeOf('/api/v1/inference/')).toBe('/v1/inference');
  expect(routeOf('/a/v1/inference/0a-1')).toBe('/v1/inference/0a-1');
  expect(routeOf('/v1/models/v1/models')).toBe('/v1/models');
  expect(routeOf('/v1/inference/healthz')).toBe('/v1/inference/healthz');
});
