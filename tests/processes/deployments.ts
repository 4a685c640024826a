import {
  createInferenceProxy,
  createSessionRoutes,
  type InferenceProxy,
  type InferenceProxyOptions,
  type Limiter,
  type ServerSessions,
  type SessionRoutes,
} from '@vitrine/proxy';
import { type InferenceServer, type ServeOptions, serveInferenceProxy } from '@vitrine/proxy/node';
import { postgresSessions, postgresStreamLog } from '@vitrine/proxy/postgres';
import { redisStreamLog } from '@vitrine/proxy/redis';
import pg from 'pg';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';

/** The shared parts of the processes of one deployment. */
export type Shared = Required<Pick<InferenceProxyOptions, 'streamLog' | 'quotas'>> & {
  /** Null where there is no place for sessions. */
  readonly sessions: ServerSessions | null;
};

type Options = InferenceProxyOptions & Required<Pick<InferenceProxyOptions, 'authorize'>>;

export async function overRedis(url: string): Promise<Shared> {
  const client = createClient({ url });
  client.on('error', ({ message }) => process.stderr.write(`${message}\n`)); // it connects again by itself
  await client.connect();
  const limiter = (keyPrefix: string, points: number, duration: number): Limiter =>
    new RateLimiterRedis({ storeClient: client, useRedisPackage: true, keyPrefix, points, duration });
  return {
    streamLog: redisStreamLog({ client }),
    quotas: {
      requests: limiter('requests', 20, 3600),
      concurrent: { max: 8, limiter: limiter('slots', 1, 900) },
    },
    sessions: null,
  };
}

export async function overPostgres(connectionString: string): Promise<Shared> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  pool.on('error', ({ message }) => process.stderr.write(`${message}\n`)); // it connects again by itself
  // One name for all limiters: they share prepared statements.
  const tableName = 'vitrine_quotas';
  const limiter = (keyPrefix: string, points: number, duration: number): Promise<Limiter> =>
    new Promise((resolve, reject) => {
      const options = { storeClient: pool, tableName, keyPrefix, points, duration };
      const made = new RateLimiterPostgres(options, (error) => (error ? reject(error) : resolve(made)));
    });
  return {
    streamLog: postgresStreamLog({ pool }),
    quotas: {
      requests: await limiter('requests', 20, 3600),
      concurrent: { max: 8, limiter: await limiter('slots', 1, 900) },
    },
    sessions: postgresSessions({ pool }),
  };
}

export function serveShared(
  { sessions, streamLog, quotas }: Shared,
  options: Options,
  where: ServeOptions,
): Promise<InferenceServer> {
  const { authorize, log } = options;
  const proxy = createInferenceProxy({ ...options, streamLog, quotas });
  if (sessions === null) return serveInferenceProxy(proxy, where);
  const routes = createSessionRoutes({ store: sessions, authorize, ...(log ? { log } : {}) });
  return serveInferenceProxy(together(proxy, routes), where);
}

/** Answers and sessions under one address. */
function together(proxy: InferenceProxy, routes: SessionRoutes): InferenceProxy {
  return {
    fetch: (request) =>
      new URL(request.url).pathname.includes('/v1/sessions') ? routes.fetch(request) : proxy.fetch(request),
    withHosts: (hosts) => together(proxy.withHosts(hosts), routes.withHosts(hosts)),
    close: proxy.close,
  };
}
