import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { postgresSessions } from './postgres-sessions.ts';
import type { ServerSessions } from './server-sessions.ts';
import { temporaryDatabase } from './sqlite-faults.fixture.ts';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';
import { writeOn, writtenIn } from './write-on.fixture.ts';

const runs = Number(process.env['PROVE_RUNS'] ?? 3);
const timeout = 3_600_000;
/** Numbers of writes before the kill: at the first write, in between, and after many. */
const writesBefore = (run: number): number => (run % 5) * 7;

/** Checks that every finished write is there, in order. An unfinished write may be there too, but only whole. */
async function expectAtLeast(store: ServerSessions, id: string, finished: number): Promise<void> {
  const written = await writtenIn(store, id);
  expect(written).toEqual(written?.map((_text, index) => `${index + 1}`));
  expect(written?.length ?? -1).toBeGreaterThanOrEqual(finished);
}

/** Kills a process that writes in SQLite after some writes. Returns the last write that it reported, or -1. */
async function killedWriter(path: string, id: string, writes: number): Promise<number> {
  const script = fileURLToPath(new URL('session-writer.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@vitrine/source', script, path, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  child.stdout.on('data', (data: Buffer) => {
    told += data.toString();
    if (told.split('\n').length - 1 > writes) setTimeout(() => child.kill('SIGKILL'), Math.random() * 3);
  });
  await new Promise((resolve) => child.once('close', resolve));
  return Number(told.slice(0, told.lastIndexOf('\n')).split('\n').at(-1) || -1);
}

describe('the finished writes of a killed writer', () => {
  it('the finished writes of a killed process are whole in SQLite', { timeout }, async () => {
    const { path, erase } = temporaryDatabase();
    const store = sqliteSessions({ path });
    onTestFinished(() => store.close().then(erase));
    await store.list();
    for (let run = 0; run < runs; run++) {
      const finished = await killedWriter(path, `killed${run}`, writesBefore(run));
      expect(finished).toBeGreaterThanOrEqual(writesBefore(run));
      await expectAtLeast(store, `killed${run}`, finished);
    }
  });

  describe('in PostgreSQL', () => {
    let server: TestServer | null = null;
    let pool: pg.Pool | null = null;
    beforeAll(async () => {
      server = await startPostgres();
      // One connection, so the connection that writes is the one that is killed.
      if (server !== null) pool = openPool(server.url, { max: 1 });
    }, 240_000);
    afterAll(async () => {
      await pool?.end();
      await server?.stop();
    });

    it(
      'the finished writes of a killed connection are whole in PostgreSQL after its recovery',
      { timeout },
      async ({ skip }) => {
        if (pool === null) return skip('there is no PostgreSQL on this machine');
        const store = postgresSessions({ pool });
        for (let run = 0; run < runs; run++) {
          const { rows } = await pool.query(
            `SELECT pg_backend_pid() AS pid, ${checkpointer} AS checkpointer`,
          );
          let finished = -1;
          const writing = writeOn(store, `killed${run}`, (number) => {
            finished = number;
            // The server then ends all its connections and reads its log again.
            if (number === writesBefore(run))
              setTimeout(() => process.kill(Number(rows[0].pid), 'SIGKILL'), Math.random() * 5);
          });
          await expect(writing).rejects.toMatchObject({ code: 'session-storage' });
          await whenRecovered(pool, rows[0].checkpointer);
          await expectAtLeast(store, `killed${run}`, finished);
        }
      },
    );
  });
});

/** A process that the server restarts when it recovers. */
const checkpointer = `(SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer')`;

/** Waits for the restarted server; a process that has not noticed the restart may answer as well. */
async function whenRecovered(pool: pg.Pool, before: number): Promise<void> {
  for (const until = Date.now() + 30_000; Date.now() < until; await sleep(10)) {
    const found = await pool.query(`SELECT ${checkpointer} AS pid`).catch(() => null);
    const pid: unknown = found?.rows[0].pid ?? null;
    if (pid !== null && pid !== before) return;
  }
  throw new Error('The database did not recover within 30 s.');
}
