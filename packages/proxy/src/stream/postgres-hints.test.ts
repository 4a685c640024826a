import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import type { PostgresConnection, PostgresPool } from '../kit/postgres.ts';
import { createPostgresHints } from './postgres-stream-log.ts';

/** Connections as `pg` provides them, which throw when they are released twice. */
function poolOf(query: () => Promise<unknown> = async () => undefined) {
  const given: (EventEmitter & { isReleased: boolean })[] = [];
  const connect = async (): Promise<PostgresConnection> => {
    const connection = Object.assign(new EventEmitter(), { isReleased: false });
    given.push(connection);
    const release = (): void => {
      if (connection.isReleased) throw new Error('Release called on client which has already been released.');
      connection.isReleased = true;
    };
    return Object.assign(connection, { query, release }) as unknown as PostgresConnection;
  };
  const pool: PostgresPool = { connect, query: async () => ({ rows: [] }) };
  return { pool, given };
}

it('a lost connection is released once, also when a new watcher comes before it has ended', async () => {
  const { pool, given } = poolOf();
  const hints = createPostgresHints(pool, 'streams');
  hints.watch('a', () => undefined);
  await vi.waitFor(() => expect(given).toHaveLength(1));
  given[0]?.emit('error', new Error('terminating connection due to administrator command'));
  const heard = vi.fn<(hint: string) => void>();
  hints.watch('b', heard);
  await vi.waitFor(() => expect(given).toHaveLength(2));
  // An error in here is thrown outside of any promise and would end the process.
  expect(() => given[0]?.emit('end')).not.toThrow();

  heard.mockClear();
  given[1]?.emit('notification', { payload: 'entries:b' });
  expect(heard).toHaveBeenCalledWith('entries');
  await hints.close();
  expect(given.map(({ isReleased }) => isReleased)).toEqual([true, true]);
});

it('a connection that cannot listen is released', async () => {
  const { pool, given } = poolOf(() => Promise.reject(new Error('cannot execute LISTEN during recovery')));
  const hints = createPostgresHints(pool, 'streams');
  hints.watch('a', () => undefined);
  await vi.waitFor(() => expect(given[0]?.isReleased).toBe(true));
  hints.watch('b', () => undefined);
  await vi.waitFor(() => expect(given[1]?.isReleased).toBe(true));
  await hints.close();
});
