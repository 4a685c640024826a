import { existsSync } from 'node:fs';
import pg from 'pg';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { startPostgres } from './start-postgres.ts';
import { startRedis } from './start-redis.ts';

it('a Redis of a test answers until it is stopped', { timeout: 60_000 }, async ({ skip }) => {
  const server = await startRedis();
  if (server === null) return skip('there is no Redis server on this machine');
  const client = createClient({ url: server.url });
  client.on('error', () => undefined);
  await client.connect();
  expect(await client.set('a', '1')).toBe('OK');
  client.destroy();
  await server.stop();
  const late = createClient({ url: server.url, socket: { reconnectStrategy: false } });
  late.on('error', () => undefined);
  await expect(late.connect()).rejects.toThrow();
});

it(
  'a PostgreSQL of a test answers until it is stopped, and leaves nothing',
  { timeout: 60_000 },
  async ({ skip }) => {
    const server = await startPostgres();
    if (server === null) return skip('there is no PostgreSQL on this machine');
    const client = new pg.Client(server.url);
    await client.connect();
    const { rows } = await client.query("select current_setting('data_directory') as folder");
    await client.end();
    expect(existsSync(rows[0].folder)).toBe(true);
    await server.stop();
    expect(existsSync(rows[0].folder)).toBe(false);
    await expect(new pg.Client(server.url).connect()).rejects.toThrow();
  },
);
