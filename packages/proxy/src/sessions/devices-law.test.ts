// The schedule and its law are core's own tests, which no package publishes.
/* oxlint-disable vitrine/direction */
import type pg from 'pg';
import type { SessionStore } from '@vitrine/core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { quietCourse } from '@vitrine/persist/internal/link/device-course.fixture';
import {
  assertPaidOnce,
  type DevicesLaw,
  proveDevices,
} from '@vitrine/persist/internal/link/devices-law.fixture';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { postgresSessions } from './postgres-sessions.ts';
import { serveSessions } from './served-sessions.fixture.ts';
import type { ServerSessions } from './server-sessions.ts';
import { temporaryDatabase } from './sqlite-faults.fixture.ts';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';

/** Schedules of a cell. */
const numRuns = Number(process.env['PROVE_RUNS'] ?? 7);
const timeout = 36_000_000;
const cells = [true, false].map((isLinked) => ({ isLinked }));

/** Runs each schedule as its own user of one server. */
async function prove(
  place: string,
  store: ServerSessions,
  isLinked: boolean,
  law?: DevicesLaw,
): Promise<void> {
  const server = await serveSessions(store);
  let users = 0;
  try {
    const open = (): (() => SessionStore) => {
      const user = `user-${place.replace(', ', '-')}-${isLinked}-${++users}`;
      return () => server.as(user);
    };
    await proveDevices({ name: `HTTP over ${place}`, numRuns }, open, isLinked, law);
  } finally {
    await server.close();
  }
}

describe('two and three devices on one session of a server', () => {
  let postgres: TestServer | null = null;
  let pool: pg.Pool | null = null;
  beforeAll(async () => {
    postgres = await startPostgres();
    if (postgres !== null) pool = openPool(postgres.url);
  }, 240_000);
  afterAll(async () => {
    await pool?.end();
    await postgres?.stop();
  });

  it.for(cells)(
    'two and three devices lose no message and repeat no side effect over SQLite, with locks: $isLinked',
    { timeout },
    async ({ isLinked }) => {
      const { path, erase } = temporaryDatabase();
      const store = sqliteSessions({ path });
      await prove('SQLite', store, isLinked);
      await store.close();
      erase();
    },
  );

  it.for(cells)(
    'two and three devices call the model once for each step over SQLite, with locks: $isLinked',
    { timeout },
    async ({ isLinked }) => {
      const { path, erase } = temporaryDatabase();
      const store = sqliteSessions({ path });
      await prove('SQLite, calls', store, isLinked, { course: quietCourse, assert: assertPaidOnce });
      await store.close();
      erase();
    },
  );

  it.for(cells)(
    'two and three devices lose no message and repeat no side effect over PostgreSQL, with locks: $isLinked',
    { timeout },
    async ({ isLinked }, { skip }) => {
      if (pool === null) return skip('there is no PostgreSQL on this machine');
      await prove('PostgreSQL', postgresSessions({ pool, prefix: `devices${Number(isLinked)}_` }), isLinked);
    },
  );
});
