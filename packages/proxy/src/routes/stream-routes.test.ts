import type { InferenceEvent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { describe, expect, it, vi } from 'vitest';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { at, delta, eventsOf, post, proxyOf, puppet, textOf } from '../stream/served.fixture.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

const hello = (): ReturnType<typeof proxyOf> => proxyOf(scriptedInference([{ text: 'Hello', chunks: 5 }]));
const finish = { type: 'finish', finishReason: 'stop' } as unknown as InferenceEvent;

describe('a stream that is asked for again', () => {
  it.each(['7', '99', '-1', 'x', '1.5', '01', '0-1', '9'.repeat(40)])(
    'a stream that is asked for behind %s, which no event of it has, is refused',
    async (offset) => {
      const proxy = hello();
      const first = await proxy.fetch(post());
      await first.text();
      const id = first.headers.get('x-inference-id');
      const again = await proxy.fetch(at(id, { headers: { 'last-event-id': offset } }));
      expect([again.status, await again.json()]).toMatchObject([400, { code: 'offset-invalid' }]);
    },
  );

  it('a stream that is asked for behind its last event answers 204', async () => {
    const proxy = hello();
    const first = await proxy.fetch(post());
    await first.text();
    const id = first.headers.get('x-inference-id');
    const again = await proxy.fetch(at(id, { headers: { 'last-event-id': '6' } }));
    expect([again.status, await again.text()]).toEqual([204, '']);
  });

  it('a forgotten stream answers 404', async () => {
    const proxy = proxyOf(scriptedInference([{ text: 'a' }]), { limits: { finishedMs: 20 } });
    const first = await proxy.fetch(post());
    await first.text();
    const id = first.headers.get('x-inference-id');
    await vi.waitFor(async () => {
      const again = await proxy.fetch(at(id));
      // A reader keeps the stream alive.
      await again.body?.cancel();
      expect(again.status).toBe(404);
    });
  });
});

const withoutId = (text: string): string => text.replace(/"requestId":"[^"]*"/, '');

it('a stream belongs to its principal, and is not there for anybody else', async () => {
  const model = puppet();
  const app = proxyOf(model, { authorize: ({ headers }) => ({ id: headers.get('x-user') ?? 'anyone' }) });
  const mine = await app.fetch(post({ 'x-user': 'ada', 'idempotency-key': 'k' }));
  const id = mine.headers.get('x-inference-id');
  for (const headers of [{ 'x-user': 'eve' }, {} as Record<string, string>]) {
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      const missing = await app.fetch(at('0a', { method, headers }));
      const foreign = await app.fetch(at(id, { method, headers }));
      const [told, known] = [await foreign.text(), await missing.text()].map(withoutId);
      expect([foreign.status, told], method).toEqual([404, known]);
    }
    const theirs = await app.fetch(post({ ...headers, 'idempotency-key': 'k' }));
    expect(theirs.status).toBe(200);
    expect(theirs.headers.get('x-inference-id')).not.toBe(id);
    await theirs.body?.cancel();
  }
  const again = await app.fetch(at(id, { headers: { 'x-user': 'ada' } }));
  expect((await app.fetch(at(id, { method: 'HEAD', headers: { 'x-user': 'ada' } }))).status).toBe(200);
  model.say(delta('a'));
  model.say(finish);
  expect(await textOf(again)).toBe(await textOf(mine));
});

describe('a request for a stream', () => {
  it('a request for a stream is answered with headers and a ping before the first event of the model', async () => {
    const model = puppet();
    const server = await serveInferenceProxy(proxyOf(model), { port: 0 });
    const response = await fetch(`${server.url}/v1/inference`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(': ping\n\n');
    expect(response.headers.get('cache-control')).toContain('no-transform');
    await reader?.cancel();
    await server.close({ graceMs: 0 });
  });

  it('a stream whose upstream fails at once has the error as its first event', async () => {
    const error = {
      code: 'upstream-rate-limited',
      message: 'Too many.',
      retryable: true,
      retryAfterMs: 7000,
    };
    const response = await proxyOf({
      async *stream() {
        yield { type: 'error', ...error } as const;
      },
    }).fetch(post());
    expect([response.status, eventsOf(await response.text())]).toEqual([200, [{ type: 'error', ...error }]]);
  });

  it('a request with a key that is too long is refused', async () => {
    const response = await hello().fetch(post({ 'idempotency-key': 'k'.repeat(256) }));
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid-request' }]);
  });

  it('a request with the same key and another question is refused, and the first answer is kept', async () => {
    const proxy = hello();
    const ask = async (maxOutputTokens: number): Promise<readonly [status: number, text: string]> => {
      const body = JSON.stringify({ ...request, settings: { maxOutputTokens } });
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
      const init = { method: 'POST', headers, body };
      const response = await proxy.fetch(new Request('http://localhost/v1/inference', init));
      return [response.status, await response.text()];
    };
    const answers = [await ask(1), await ask(2), await ask(1)];
    expect(answers.map(([status]) => status)).toEqual([200, 422, 200]);
    expect(JSON.parse(answers[1]?.[1] ?? '')).toMatchObject({ code: 'idempotency-key-reused' });
    expect(answers[2]?.[1]).toBe(answers[0]?.[1]);
  });

  it('a stream does not fail because the application’s log does', async () => {
    const fails = (): never => {
      throw new Error('full disk');
    };
    const proxy = proxyOf(scriptedInference([{ error: new Error('no') }]), {
      log: fails,
      onStreamEnd: fails,
    });
    const events = eventsOf(await (await proxy.fetch(post())).text());
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'upstream-error' });
    expect((await proxy.fetch(new Request('http://localhost/nowhere'))).status).toBe(404);
  });
});
