import { type Limiter, memoryStreamLog, type QuotaOptions, type StreamLog } from '@vitrine/proxy';
import { postgresStreamLog } from '@vitrine/proxy/postgres';
import { redisStreamLog } from '@vitrine/proxy/redis';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { openPool } from '../servers/open-pool.ts';
import { startPostgres } from '../servers/start-postgres.ts';
import { startRedis } from '../servers/start-redis.ts';

/** So many points for each of these, for an hour; `concurrent` answers at once. */
export type Allowance = { readonly requests: number; readonly cost: number; readonly concurrent: number };

/** A place where quotas are counted and streams are kept. */
export type LimitStore = {
  readonly quotas: (allowance: Allowance) => Promise<QuotaOptions>;
  readonly log: StreamLog;
  readonly stop: () => Promise<void>;
};

const seconds = 3600;

/** Every store, with a real server behind it; null where the server cannot be had. */
export const limitStores: Readonly<Record<string, () => Promise<LimitStore | null>>> = {
  memory: async () => ({
    quotas: async ({ requests, cost, concurrent }) => ({
      requests: { points: requests, seconds },
      cost: { points: cost, seconds },
      concurrent,
    }),
    log: memoryStreamLog(),
    stop: async () => undefined,
  }),
  async redis() {
    const server = await startRedis();
    if (server === null) return null;
    const storeClient = createClient({ url: server.url });
    storeClient.on('error', () => undefined);
    await storeClient.connect();
    const log = redisStreamLog({ client: storeClient });
    const quotas = limiterQuotas(async (keyPrefix, points) => {
      const options = { storeClient, useRedisPackage: true, keyPrefix, points, duration: seconds };
      return new RateLimiterRedis(options);
    });
    const stop = async (): Promise<void> => {
      await log.close();
      storeClient.destroy();
      await server.stop();
    };
    return { quotas, log, stop };
  },
  async postgres() {
    const server = await startPostgres();
    if (server === null) return null;
    const storeClient = openPool(server.url, { max: 8 });
    const log = postgresStreamLog({ pool: storeClient });
    const quotas = limiterQuotas(
      (keyPrefix, points) =>
        new Promise((resolve, reject) => {
          const options = { storeClient, keyPrefix, points, duration: seconds, clearExpiredByTimeout: false };
          const limiter: Limiter = new RateLimiterPostgres(options, (error?: Error) =>
            error ? reject(error) : resolve(limiter),
          );
        }),
    );
    const stop = async (): Promise<void> => {
      await log.close();
      await storeClient.end();
      await server.stop();
    };
    return { quotas, log, stop };
  },
};

function limiterQuotas(
  limiter: (keyPrefix: string, points: number) => Promise<Limiter>,
): LimitStore['quotas'] {
  return async ({ requests, cost, concurrent }) => ({
    requests: await limiter('requests', requests),
    cost: await limiter('cost', cost),
    concurrent: { max: concurrent, limiter: await limiter('slots', 1) },
  });
}
