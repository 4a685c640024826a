import { type InferenceEvent, Usage } from '@vitrine/core';
import { describe, expect, it, vi } from 'vitest';
import type { InferenceProxyOptions } from '../inference-proxy.ts';
import { delta, eventsOf, proxyOf, puppet } from '../stream/served.fixture.ts';
import { memoryStreamLog } from '../stream/memory-stream-log.ts';
import { type InferenceServer, serveInferenceProxy } from './serve-inference-proxy.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

const finish: InferenceEvent = { type: 'finish', finishReason: 'stop', usage: Usage.none() };

async function serve(
  model: ReturnType<typeof puppet>,
  options: Partial<InferenceProxyOptions> = {},
): Promise<
  InferenceServer & { readonly ask: () => Promise<Response>; readonly ready: () => Promise<Response> }
> {
  const server = await serveInferenceProxy(proxyOf(model, options), { port: 0 });
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  };
  return {
    ...server,
    ask: () => fetch(`${server.url}/v1/inference`, init),
    ready: () => fetch(`${server.url}/readyz`),
  };
}

const last = async (answer: Response): Promise<InferenceEvent | undefined> =>
  eventsOf(await answer.text()).at(-1);

it('a server whose port is in use names the port and the way to another one', async () => {
  const first = await serveInferenceProxy(proxyOf(puppet()), { port: 0 });
  const port = Number(new URL(first.url).port);
  await expect(serveInferenceProxy(proxyOf(puppet()), { port })).rejects.toMatchObject({
    code: 'agent-invalid',
    message: expect.stringMatching(new RegExp(`Port ${port} of 127.0.0.1 is in use.*\`PORT\``)) as string,
  });
  await first.close();
});

describe('a server that is closed', () => {
  it('a closing server lets a stream finish, refuses new ones and reports that it is not ready', async () => {
    const model = puppet();
    const server = await serve(model);
    const answer = await server.ask();
    await vi.waitFor(() => expect(model.open()).toBe(1));
    const closed = server.close({ graceMs: 20_000 });
    const refused = await server.ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await refused.json()).toMatchObject({ code: 'shutting-down', retryable: true });
    const ready = await server.ready();
    expect([ready.status, await ready.json()]).toMatchObject([503, { code: 'shutting-down' }]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    model.say(delta('the rest'));
    model.say(finish);
    expect(await last(answer)).toMatchObject({ type: 'finish' });
    await closed;
    expect(model.calls()).toBe(1);
    await expect(server.ask()).rejects.toThrow(/fetch failed/);
  });

  it('a closing server ends answers that exceed the grace time, each with one last event', async () => {
    const model = puppet();
    const ends: string[] = [];
    const server = await serve(model, {
      onStreamEnd: ({ outcome, code }) => ends.push(`${outcome} ${code}`),
    });
    const answers = await Promise.all([server.ask(), server.ask(), server.ask()]);
    await vi.waitFor(() => expect(model.open()).toBe(3));
    model.say(delta('a word'));
    const closed = server.close({ graceMs: 50 });
    for (const events of await Promise.all(answers.map(async (answer) => eventsOf(await answer.text())))) {
      expect(events).toHaveLength(2);
      expect(events[1]).toMatchObject({ type: 'error', code: 'stream-incomplete', retryable: true });
    }
    await closed;
    expect(model.open()).toBe(0);
    expect(ends).toEqual(Array.from({ length: 3 }, () => 'failed stream-incomplete'));
  });

  it('a closing server waits without a limit when the grace time is infinite', async () => {
    const model = puppet();
    const server = await serve(model);
    const answer = await server.ask();
    await vi.waitFor(() => expect(model.open()).toBe(1));
    const closed = server.close({ graceMs: Infinity });
    await new Promise((resolve) => setTimeout(resolve, 50));
    model.say(finish);
    expect(await last(answer)).toMatchObject({ type: 'finish' });
    await closed;
  });

  it('a closing server waits no longer than the grace time for a log of streams that does not answer', async () => {
    const create = vi.fn<() => Promise<never>>(() => new Promise(() => undefined));
    const server = await serve(puppet(), { streamLog: { ...memoryStreamLog(), create } });
    const asked = server.ask().catch(() => null);
    await vi.waitFor(() => expect(create).toHaveBeenCalled());
    await server.close({ graceMs: 50 });
    expect(await asked).toBeNull();
  });

  it('a server closes at once when nothing runs, also twice', async () => {
    const server = await serve(puppet());
    await (await server.ready()).text();
    await Promise.all([server.close(), server.close()]);
    await expect(server.ready()).rejects.toThrow(/fetch failed/);
  });
});

describe('a proxy', () => {
  it('a proxy is ready when its log of streams answers', async () => {
    const { fetch } = proxyOf(puppet());
    const answer = await fetch(new Request('http://localhost/api/readyz'));
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready' }]);
  });

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Error('down'))],
    ['hangs', () => new Promise(() => undefined)],
  ])('a proxy is not ready when its log of streams %s', async (_how, head) => {
    const { fetch } = proxyOf(puppet(), { streamLog: { ...memoryStreamLog(), head } });
    const answer = await fetch(new Request('http://localhost/readyz'));
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'stream-log-unreachable' }]);
  });
});
