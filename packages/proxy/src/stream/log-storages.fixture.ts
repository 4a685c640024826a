import { createClient } from 'redis';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import { startRedis } from '../../../../tests/servers/start-redis.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { memoryStreamLog } from './memory-stream-log.ts';
import { postgresStreamLog } from './postgres-stream-log.ts';
import { redisStreamLog } from './redis-stream-log.ts';
import type { StreamLog, StreamLogLimits } from './stream-log.ts';

/** Creates logs over one storage, each with its own connections; the logs of one space share their streams. */
export type LogStorage = {
  readonly open: (space: string, limits?: StreamLogLimits) => StreamLog;
  readonly stop: () => Promise<void>;
};

/** Every driver with a real server behind it; null when the server is not available. `npm test` has one driver. */
export const logStorages: Readonly<Record<string, () => Promise<LogStorage | null>>> = {
  memory: async () => inMemory(),
  ...(process.env['WITHOUT_PROOFS'] === undefined && {
    redis: () => overServer(startRedis, openRedis),
    postgres: () => overServer(startPostgres, openPostgres),
  }),
};

function inMemory(): LogStorage {
  const spaces = new Map<string, StreamLog>();
  return {
    open(space, limits) {
      const log = spaces.get(space) ?? memoryStreamLog(limits);
      spaces.set(space, log);
      return log;
    },
    stop: async () => undefined,
  };
}

type Opened = { readonly log: StreamLog; readonly close: () => Promise<unknown> };
type Open = (space: string, limits: StreamLogLimits) => Opened;

async function overServer(
  start: () => Promise<TestServer | null>,
  connect: (url: string) => Promise<Open>,
): Promise<LogStorage | null> {
  const server = await start();
  if (server === null) return null;
  const open = await connect(server.url);
  const opened: Opened[] = [];
  return {
    open(space, limits = {}) {
      const one = open(space, limits);
      opened.push(one);
      return one.log;
    },
    async stop() {
      for (const { log, close } of opened) await log.close().then(close);
      await server.stop();
    },
  };
}

async function openRedis(url: string): Promise<Open> {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  return (space, limits) => ({
    log: redisStreamLog({ client, prefix: `${space}:`, ...limits }),
    close: async () => client.isOpen && client.destroy(),
  });
}

async function openPostgres(url: string): Promise<Open> {
  return (space, limits) => {
    const pool = openPool(url);
    return { log: postgresStreamLog({ pool, prefix: `${space}_`, ...limits }), close: () => pool.end() };
  };
}
