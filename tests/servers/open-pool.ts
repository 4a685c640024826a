import pg from 'pg';

/**
 * A pool for a server of a test. Its connections may be told that the server ends at any time, also while they close
 * themselves; that is no fault of the test.
 */
export function openPool(url: string, config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4, ...config });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
