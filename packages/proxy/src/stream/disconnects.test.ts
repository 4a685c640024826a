import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Behaviour, startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { clientOf, proveRuns, proxyOf } from './served.fixture.ts';
import type { StreamReport } from './stream-report.ts';
import { chunk } from '../../../../tests/upstream/chat-chunk.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const behaviours: readonly Behaviour[] = [
  { kind: 'hang' },
  { kind: 'stall', body: chunk('a') },
  { kind: 'endless', body: chunk('x'), everyMs: 1 },
  { kind: 'endless', body: chunk('x'), everyMs: 0 },
  { kind: 'endless', body: chunk('x'.repeat(65_536)), everyMs: 0 },
];

/** A reader with its own socket that reads or stalls, and leaves after a while. */
async function visit(url: string, { stalls, ms }: { stalls: boolean; ms: number }): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const body = JSON.stringify(request);
  const head = ['POST /v1/inference HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json'];
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  if (stalls) socket.pause();
  else socket.resume();
  await sleep(ms);
  socket.destroy();
}

it(
  'readers that leave at any time and in any state leave no upstream open and no call without its usage',
  { timeout: 1_200_000 },
  async () => {
    const model = clientOf(upstream.url);
    const reports: StreamReport[] = [];
    let calls = 0;
    const counted: typeof model = {
      stream(asked, call) {
        calls++;
        return model.stream(asked, call);
      },
    };
    const options = {
      limits: { resumeGraceMs: 0 },
      onStreamEnd: (report: StreamReport) => reports.push(report),
    };
    const server = await serveInferenceProxy(proxyOf(counted, options), { port: 0 });
    const visits = proveRuns(60);
    for (let count = 0; count < visits; count += 10) {
      upstream.behave = behaviours[(count / 10) % behaviours.length] ?? { kind: 'hang' };
      await Promise.all(
        Array.from({ length: 10 }, (_, number) =>
          // About a third leaves before the first event.
          visit(server.url, {
            stalls: number % 2 === 1,
            ms: number % 3 === 0 ? number % 5 : 20 + number * 9,
          }),
        ),
      );
      await vi.waitFor(() => expect([upstream.open(), reports.length]).toEqual([0, calls]), {
        timeout: 5000,
        interval: 5,
      });
    }
    await server.close({ graceMs: 0 });
    expect(calls).toBeGreaterThan(visits / 2);
    for (const report of reports) {
      expect(report.outcome).toBe('cancelled');
      expect(report.usage.inputTokens).toBeGreaterThan(0);
    }
    expect(reports.some(({ usage }) => usage.outputTokens > 0)).toBe(true);
  },
);
