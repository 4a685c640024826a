import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { Limiter } from '../guard/limiter.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import type { ProxyLogEntry } from '../operator/request-line.ts';
import { post, proxyOf, puppet } from '../stream/served.fixture.ts';

it('a client that leaves while it sends its question is recorded as cancelled, not as wrong JSON', async () => {
  const lines: ProxyLogEntry[] = [];
  const server = await serveInferenceProxy(proxyOf(puppet(), { log: (line) => lines.push(line) }), {
    port: 0,
  });
  const { port, hostname, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const head = `POST /v1/inference HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000`;
  socket.write(`${head}\r\n\r\n{"messages": [`);
  await sleep(100);
  socket.destroy();
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  expect(lines[0]).toMatchObject({ outcome: 'cancelled', code: 'cancelled', status: 499, hint: null });
  await server.close();
});

it('a model is not called for a client that left while its quota was checked', async () => {
  const controller = new AbortController();
  const given: string[] = [];
  const limiter: Limiter = {
    points: 100_000,
    async consume(_key, points = 1) {
      if (points > 1) controller.abort();
      return { msBeforeNext: 1000 };
    },
    penalty: async () => undefined,
    reward: async (_key, points) => given.push(`reward ${points}`),
    delete: async () => given.push('slot'),
  };
  const model = puppet();
  const quotas = { cost: limiter, concurrent: { max: 1, limiter: { ...limiter, points: 1 } } };
  const answer = await proxyOf(model, { quotas }).fetch(post({}, controller.signal));
  expect([answer.status, model.calls()]).toEqual([499, 0]);
  await vi.waitFor(() =>
    expect(given).toEqual(['slot', 'reward 1', expect.stringMatching(/^reward 8\d{3}$/)]),
  );
});
