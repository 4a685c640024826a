import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import { startRedis } from '../../../../tests/servers/start-redis.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { memoryStreamLog } from './memory-stream-log.ts';
import { postgresStreamLog } from './postgres/postgres-stream-log.ts';
import { redisStreamLog } from './redis/redis-stream-log.ts';
import type { StreamLog, StreamLogLimits } from './stream-log.ts';
import { streamLogLaws } from './stream-log-laws.fixture.ts';

/** Makes logs over one storage, each with connections of its own. */
type Storage = {
  readonly open: (space: string, limits: StreamLogLimits) => StreamLog;
  readonly stop: () => Promise<void>;
};

const storages: Record<string, () => Promise<Storage | null>> = {
  async memory() {
    const spaces = new Map<string, StreamLog>();
    return {
      open(space, limits) {
        const log = spaces.get(space) ?? memoryStreamLog(limits);
        spaces.set(space, log);
        return log;
      },
      stop: async () => undefined,
    };
  },
  redis: () => overServer(startRedis, openRedis),
  postgres: () => overServer(startPostgres, openPostgres),
};

type Opened = { readonly log: StreamLog; readonly close: () => Promise<unknown> };

async function overServer(
  start: () => Promise<TestServer | null>,
  connect: (url: string) => Promise<(space: string, limits: StreamLogLimits) => Opened>,
): Promise<Storage | null> {
  const server = await start();
  if (server === null) return null;
  const open = await connect(server.url);
  const opened: Opened[] = [];
  return {
    open(space, limits) {
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

async function openRedis(url: string): Promise<(space: string, limits: StreamLogLimits) => Opened> {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  return (space, limits) => ({
    log: redisStreamLog({ client, prefix: `${space}:`, ...limits }),
    close: async () => client.isOpen && client.destroy(),
  });
}

async function openPostgres(url: string): Promise<(space: string, limits: StreamLogLimits) => Opened> {
  return (space, limits) => {
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    pool.on('error', () => undefined);
    return { log: postgresStreamLog({ pool, prefix: `${space}_`, ...limits }), close: () => pool.end() };
  };
}

describe.each(Object.keys(storages))('a log of streams in %s', { timeout: 30_000 }, (name) => {
  let storage: Storage | null = null;
  let spaces = 0;
  beforeAll(async () => {
    storage = (await storages[name]?.()) ?? null;
  }, 200_000);
  afterAll(() => storage?.stop());

  it.for(streamLogLaws)('$name', async ({ run, limits = {} }, { skip }) => {
    if (storage === null) return skip(`${name} cannot be had here`);
    const space = `law${spaces++}`;
    await run({ here: storage.open(space, limits), there: storage.open(space, limits) });
  });
});

it('a log in PostgreSQL takes no prefix that is no name', () => {
  const pool = new pg.Pool();
  expect(() => postgresStreamLog({ pool, prefix: 'a"; DROP TABLE x' })).toThrow(/prefix/);
});
