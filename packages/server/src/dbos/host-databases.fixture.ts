import { afterAll, beforeAll } from 'vitest';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { dbosHost } from './dbos-host.ts';

export const noPostgres = 'there is no PostgreSQL on this machine';

/**
 * Starts a PostgreSQL for a test file. @returns a function that makes a new database with the tables of a host, or an
 * empty one; null where there is no PostgreSQL
 */
export function hostDatabases(): (content?: 'tables' | 'empty') => Promise<string | null> {
  let server: TestServer | null = null;
  let count = 0;
  const urlOf = ({ url }: TestServer, name: string): string => url.replace(/postgres$/, name);

  async function create({ url }: TestServer, name: string, template: string): Promise<void> {
    const pool = openPool(url, { max: 1 });
    await pool.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await pool.end();
  }

  beforeAll(async () => {
    server = await startPostgres();
    if (server === null) return;
    await create(server, 'with_tables', 'template1');
    const host = dbosHost({ url: urlOf(server, 'with_tables'), version: '1' });
    await host.pending({ owner: 'anna', agent: 'clerk', sessionId: 's1' });
    await host.sessions('anna').list();
    await host.stop();
  }, 240_000);
  afterAll(() => server?.stop());
  return async (content = 'tables') => {
    if (server === null) return null;
    const name = `host_${++count}`;
    await create(server, name, content === 'empty' ? 'template1' : 'with_tables');
    return urlOf(server, name);
  };
}
