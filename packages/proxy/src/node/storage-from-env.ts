import { type EnvRecord, valueOf, wrongSetting } from '../kit/env-record.ts';
import type { MakeLimiter } from '../guard/options-from-env.ts';
import type { Limiter } from '../guard/limiter.ts';
import type { ServerSessions } from '../sessions/server-sessions.ts';
import type { StreamLog } from '../stream/stream-log.ts';

/** The stream log of several processes and the limiter that counts for all of them. */
type SharedLog = {
  readonly streamLog: StreamLog;
  readonly limiter: MakeLimiter;
  readonly close: () => Promise<void>;
};

/**
 * The log that `VITRINE_STREAM_LOG` names; null for `memory` and when it is not set. @throws AgentError `agent-invalid`
 * for any other value, and where the package of the client is missing
 */
export async function streamLogFromEnv(env: EnvRecord): Promise<SharedLog | null> {
  const address = valueOf(env, 'VITRINE_STREAM_LOG');
  if (address === undefined || address === 'memory') return null;
  if (/^rediss?:\/\//.test(address)) return overRedis(address);
  if (isPostgres(address)) return overPostgres(address);
  throw wrongSetting(
    `VITRINE_STREAM_LOG is ${JSON.stringify(hidePassword(address))}; give redis://host:6379, postgres://user@host/database or memory.`,
  );
}

/**
 * The store that `VITRINE_SESSIONS` names; null when it is not set. @throws AgentError `agent-invalid` for any other
 * value, and where the package of the client is missing
 */
export async function sessionsFromEnv(
  env: EnvRecord,
): Promise<{ readonly store: ServerSessions; readonly close: () => Promise<void> } | null> {
  const place = valueOf(env, 'VITRINE_SESSIONS');
  if (place === undefined) return null;
  if (place.startsWith('sqlite:') && place.length > 'sqlite:'.length) {
    const { sqliteSessions } = await import('../sessions/sqlite/sqlite-sessions.ts');
    const store = sqliteSessions({ path: place.slice('sqlite:'.length) });
    return { store, close: store.close };
  }
  if (!isPostgres(place))
    throw wrongSetting(
      `VITRINE_SESSIONS is ${JSON.stringify(hidePassword(place))}; give sqlite:/path/to/sessions.db or postgres://user@host/database.`,
    );
  const { postgresSessions } = await import('../sessions/postgres-sessions.ts');
  const pool = await poolOf(place, 'VITRINE_SESSIONS');
  const store = postgresSessions({ pool });
  return { store, close: () => store.close().then(() => pool.end()) };
}

async function overRedis(url: string): Promise<SharedLog> {
  const { createClient } = await import('redis').catch(throwWithout('redis', 'VITRINE_STREAM_LOG'));
  const { redisStreamLog } = await import('../stream/redis-stream-log.ts');
  const { RateLimiterRedis } = await import('rate-limiter-flexible');
  const client = createClient({ url });
  client.on('error', printError); // The client reconnects by itself.
  await client.connect();
  const streamLog = redisStreamLog({ client });
  return {
    streamLog,
    limiter: (keyPrefix, points, duration): Limiter =>
      new RateLimiterRedis({ storeClient: client, useRedisPackage: true, keyPrefix, points, duration }),
    close: () => streamLog.close().then(() => client.destroy()),
  };
}

async function overPostgres(address: string): Promise<SharedLog> {
  const pool = await poolOf(address, 'VITRINE_STREAM_LOG');
  const { postgresStreamLog } = await import('../stream/postgres-stream-log.ts');
  const { RateLimiterPostgres } = await import('rate-limiter-flexible');
  const streamLog = postgresStreamLog({ pool });
  await pool.query(quotaTable).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  return {
    streamLog,
    // All limiters share one name and therefore prepared statements.
    limiter: (keyPrefix, points, duration): Limiter =>
      new RateLimiterPostgres({
        storeClient: pool,
        tableName: 'vitrine_quotas',
        tableCreated: true,
        keyPrefix,
        points,
        duration,
      }),
    close: () => streamLog.close().then(() => pool.end()),
  };
}

/** The table of `RateLimiterPostgres`, under a lock: PostgreSQL fails when two servers create a table at once. */
const quotaTable = `
  SELECT pg_advisory_xact_lock(hashtext('vitrine_quotas'));
  CREATE TABLE IF NOT EXISTS vitrine_quotas (
    key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint);`;

async function poolOf(connectionString: string, variable: string): Promise<import('pg').Pool> {
  const { default: pg } = await import('pg').catch(throwWithout('pg', variable));
  const pool = new pg.Pool({ connectionString, max: 10 });
  pool.on('error', printError); // The pool reconnects by itself.
  return pool;
}

function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address);
}

function hidePassword(address: string): string {
  return address.replace(/:[^:@/]{1,200}@/, ':•••@');
}

function throwWithout(name: string, variable: string): (cause: unknown) => never {
  return (cause) => {
    const message = `${variable} needs the package ${name}, which cannot be loaded. Install it: npm install ${name}.`;
    throw wrongSetting(message, { cause });
  };
}

function printError(error: Error): void {
  process.stderr.write(`${error.message}\n`);
}
