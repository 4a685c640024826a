import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type InferenceEvent, proxyInference } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRedis } from '../../../../tests/servers/start-redis.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { redisStreamLog } from './redis-stream-log.ts';
import { at, eventsOf, proveRuns, proxyOf, textOf } from './served.fixture.ts';
import { joinedDeltas } from '../../../../tests/upstream/joined-deltas.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

let redis: TestServer | null = null;
let proxyProcess: ChildProcess | null = null;
beforeAll(async () => {
  redis = await startRedis();
}, 200_000);
afterAll(async () => {
  proxyProcess?.kill('SIGKILL');
  await redis?.stop();
});

const charactersOf = (events: readonly InferenceEvent[]): number =>
  events.reduce((sum, event) => sum + ('delta' in event ? event.delta.length : 0), 0);

/** A proxy in another process, once it listens. */
async function startProxy(redisUrl: string): Promise<{ url: string; child: ChildProcess }> {
  const script = fileURLToPath(new URL('proxy-process.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@vitrine/source', script, redisUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
    child.once('exit', (code) => reject(new Error(`The proxy ended with ${code} before it listened.`)));
  });
  return { url, child };
}

it(
  'a proxy that is killed loses no event that a client has seen, and another one ends its stream',
  { timeout: 3_600_000 },
  async ({ skip }) => {
    if (redis === null) return skip('there is no Redis server on this machine');
    const client = createClient({ url: redis.url });
    client.on('error', () => undefined);
    await client.connect();
    const log = redisStreamLog({ client });
    const other = proxyOf(scriptedInference([{}]), { streamLog: log, limits: { leaseMs: 600 } });
    for (let run = 0; run < proveRuns(1); run++) {
      const { url, child } = await startProxy(redis.url);
      proxyProcess = child;
      let id: string | null = null;
      let isDead = false;
      // A balancer does the same: a dead process gets no more requests.
      const balanced: typeof fetch = async (input, init) => {
        if (isDead) return other.fetch(new Request(String(input).replace(url, 'http://localhost'), init));
        const response = await fetch(input, init);
        id = response.headers.get('x-inference-id');
        return response;
      };
      const seen: InferenceEvent[] = [];
      const reading = proxyInference({ url, fetch: balanced });
      for await (const event of reading.stream(request, { signal: AbortSignal.timeout(60_000) })) {
        seen.push(event);
        if (isDead || charactersOf(seen) < 10 + run * 3) continue;
        isDead = true;
        child.kill('SIGKILL');
      }
      expect(seen.at(-1)).toMatchObject({ type: 'error', code: 'stream-incomplete', retryable: true });
      expect(charactersOf(seen)).toBeGreaterThan(9 + run * 3);
      // The same text as the log has from its first entry on: nothing lost, nothing twice.
      const logged = eventsOf(await textOf(await other.fetch(at(id))));
      expect(joinedDeltas(logged)).toEqual(joinedDeltas(seen));
    }
    await log.close();
    client.destroy();
  },
);
