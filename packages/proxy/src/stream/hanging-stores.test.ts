import { scriptedInference } from '@vitrine/testing';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import { startRedis } from '../../../../tests/servers/start-redis.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import type { Limiter } from '../guard/limiter.ts';
import { postgresStreamLog } from './postgres-stream-log.ts';
import { redisStreamLog } from './redis-stream-log.ts';
import { at, post, proxyOf, textOf } from './served.fixture.ts';
import type { StreamLog } from './stream-log.ts';

/** A log and limiters over one server. */
type Stores = {
  readonly server: TestServer;
  readonly log: StreamLog;
  readonly limiter: (points: number, keyPrefix: string) => Promise<Limiter>;
};

const stores: Readonly<Record<string, () => Promise<Stores | null>>> = {
  async redis() {
    const server = await startRedis();
    if (server === null) return null;
    const client = createClient({ url: server.url });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => void client.destroy());
    return {
      server,
      log: redisStreamLog({ client }),
      limiter: async (points, keyPrefix) =>
        new RateLimiterRedis({
          storeClient: client,
          useRedisPackage: true,
          points,
          keyPrefix,
          duration: 3600,
        }),
    };
  },
  async postgres() {
    const server = await startPostgres();
    if (server === null) return null;
    const pool = openPool(server.url);
    onTestFinished(() => pool.end());
    return {
      server,
      log: postgresStreamLog({ pool }),
      limiter: (points, keyPrefix) =>
        new Promise((resolve, reject) => {
          const options = {
            storeClient: pool,
            points,
            keyPrefix,
            duration: 3600,
            clearExpiredByTimeout: false,
          };
          const limiter = new RateLimiterPostgres(options, (error?: Error) =>
            error ? reject(error) : resolve(limiter),
          );
        }),
    };
  },
};

it.for(Object.keys(stores))(
  'every request ends with 503 and Retry-After while %s hangs, and its reservations return afterwards',
  { timeout: 120_000 },
  async (name, { skip }) => {
    const made = (await stores[name]?.()) ?? null;
    if (made === null) return skip(`there is no ${name} on this machine`);
    const { server, log, limiter } = made;
    onTestFinished(async () => {
      await log.close();
      await server.stop();
    });
    const model = scriptedInference([{ text: 'Hello' }]);
    const requests = await limiter(100, 'requests');
    const cost = await limiter(1_000_000, 'cost');
    const slot = await limiter(1, 'slot');
    const logged = proxyOf(model, { streamLog: log });
    const limited = [
      proxyOf(model, { quotas: { requests } }),
      proxyOf(model, { quotas: { cost } }),
      proxyOf(model, { quotas: { concurrent: { max: 2, limiter: slot } } }),
    ];
    const first = await logged.fetch(post());
    const id = first.headers.get('x-inference-id');
    await textOf(first);
    const asked = (): Promise<Response>[] => [
      logged.fetch(post()),
      logged.fetch(post({ 'idempotency-key': 'k' })),
      logged.fetch(at(id)),
      logged.fetch(at(id, { method: 'HEAD' })),
      logged.fetch(at(id, { method: 'DELETE' })),
      ...limited.map((proxy) => proxy.fetch(post())),
    ];
    const before = await limited[0]?.fetch(post());
    await before?.text();

    server.hang(true);
    const answers = await Promise.all(asked());
    const told = answers.map(({ status, headers }) => [status, Number(headers.get('retry-after')) > 0]);
    expect(told).toEqual(answers.map(() => [503, true]));
    server.hang(false);

    // Its client has also sent the commands of that time, so their reservations return.
    await vi.waitFor(
      async () => {
        const [taken, place] = [
          await requests.penalty('request:anyone', 0),
          await slot.penalty('slot:anyone:0', 0),
        ];
        expect([taken, place]).toMatchObject([{ consumedPoints: 1 }, { consumedPoints: 0 }]);
      },
      { timeout: 20_000, interval: 200 },
    );
    await vi.waitFor(
      async () => {
        const late = await Promise.all(asked());
        await Promise.all(late.map((answer) => answer.text()));
        expect(late.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 200, 200, 200]);
      },
      { timeout: 30_000, interval: 500 },
    );
  },
);
