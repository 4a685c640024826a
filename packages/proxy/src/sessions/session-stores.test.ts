import { loadedSession } from '@vitrine/core';
import type pg from 'pg';
import {
  type InjectedErrors,
  type StoreSuiteOptions,
  type StoreUnderTest,
  testSessionStore,
} from '@vitrine/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { faultyPool, rawPostgres } from './postgres-faults.fixture.ts';
import { postgresSessions } from './postgres-sessions.ts';
import { faultyFetch, serveSessions } from './served-sessions.fixture.ts';
import { faultySqlite, rawSqlite, temporaryDatabase } from './sqlite-faults.fixture.ts';
import type { ServerSessions } from './server-sessions.ts';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';

// A few runs, as mutation tests use, are no proof.
const isProof = Number(process.env['PROVE_RUNS'] ?? 0) >= 1000;
const much: StoreSuiteOptions = { changes: 5_000, mutations: 5_000, sessions: 10_000, limitStep: 97 };
const little: StoreSuiteOptions = { changes: 30, mutations: 30, sessions: 40, limitStep: 4_999 };
const timeout = 1_800_000;

type OpenFiles = {
  open: () => ServerSessions;
  path: string;
  injectedErrors: InjectedErrors;
  close: () => Promise<void>;
};

/** Instances over one file, each with its own connection. */
function filesOfSqlite(): OpenFiles {
  const { path, erase } = temporaryDatabase();
  const { injectedErrors, open } = faultySqlite();
  const opened: ServerSessions[] = [];
  return {
    path,
    injectedErrors,
    open() {
      const store = open(path);
      opened.push(store);
      return store;
    },
    async close() {
      await Promise.all(opened.map((store) => store.close()));
      erase();
    },
  };
}

async function inSqlite(): Promise<StoreUnderTest> {
  const { open, path, injectedErrors, close } = filesOfSqlite();
  const store = open();
  // The first call creates the tables.
  await store.list();
  return {
    store,
    reopen: open,
    injectedErrors,
    raw: rawSqlite(path, ''),
    close,
  };
}

/**
 * Two servers over one file take turns, as behind a balancer. Requests and answers get lost, and the database may be
 * full.
 */
async function overHttp(): Promise<StoreUnderTest> {
  const { open, path, injectedErrors, close } = filesOfSqlite();
  // The law of the list writes more sessions than one person may keep by default.
  const limits = { sessions: much.sessions ?? 0 };
  const servers = [await serveSessions(open(), { limits }), await serveSessions(open(), { limits })] as const;
  const { send, injectedErrors: lost } = faultyFetch();
  let opened = 0;
  const client = (): StoreUnderTest['store'] => (servers[opened++ % 2] ?? servers[0]).as('anna', send);
  const store = client();
  await store.list();
  return {
    store,
    reopen: client,
    injectedErrors: { ...lost, limit: injectedErrors.limit },
    raw: rawSqlite(path, 'anna'),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await close();
    },
  };
}

const laws = (
  make: () => StoreUnderTest | Promise<StoreUnderTest>,
): [string, () => Promise<{ skipped: string | null }>][] =>
  testSessionStore(make, isProof ? much : little).map(({ name, run }) => [name, run]);

describe.each([
  ['sqliteSessions', inSqlite],
  ['httpSessions', overHttp],
] as const)('%s', (_name, make) => {
  it.each(laws(make))('%s', { timeout }, async (_law, run) => {
    expect(await run()).toEqual({ skipped: null });
  });
});

describe('postgresSessions', () => {
  let server: TestServer | null = null;
  let pool: pg.Pool | null = null;
  let spaces = 0;
  beforeAll(async () => {
    server = await startPostgres();
    if (server !== null) pool = openPool(server.url);
  }, 240_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  });

  async function inPostgres(): Promise<StoreUnderTest> {
    if (pool === null) throw new Error('There is no PostgreSQL.');
    const prefix = `laws${++spaces}_`;
    const faulty = faultyPool(pool);
    const open = (): ServerSessions => postgresSessions({ pool: faulty.pool, prefix });
    const store = open();
    await store.list();
    return { store, reopen: open, injectedErrors: faulty.injectedErrors, raw: rawPostgres(pool, prefix) };
  }

  it.for(laws(inPostgres))('%s', { timeout }, async ([, run], { skip }) => {
    if (server === null) return skip('there is no PostgreSQL on this machine');
    expect(await run()).toEqual({ skipped: null });
  });

  it(
    'postgresSessions accepts only the durability that the database provides',
    { timeout },
    async ({ skip }) => {
      if (pool === null || server === null) return skip('there is no PostgreSQL on this machine');
      const own: pg.Pool = pool;
      const claimed = postgresSessions({ pool: own, durability: 'replicated' });
      expect(claimed.durability).toBe('replicated');
      await expect(claimed.load('a').then(loadedSession)).rejects.toMatchObject({ code: 'session-storage' });
      await expect(claimed.load('a').then(loadedSession)).rejects.toThrow('synchronous_standby_names = ""');
      const hasty = openPool(server.url, { options: '-c synchronous_commit=off' });
      await expect(postgresSessions({ pool: hasty }).load('a').then(loadedSession)).rejects.toThrow(
        'synchronous_commit = off',
      );
      await hasty.end();
      expect(loadedSession(await postgresSessions({ pool: own }).load('a'))).toBeNull();
      expect(() => postgresSessions({ pool: own, prefix: 'a"; DROP' })).toThrow('is no name');
    },
  );
});

it('statements beside the sessions in SQLite are one transaction, in the order of their calls, and a failed one changes nothing', async () => {
  const { path, erase } = temporaryDatabase();
  const { change, close } = sqliteSessions({ path });
  onTestFinished(async () => {
    await close();
    erase();
  });
  await change([{ sql: 'CREATE TABLE notes (text TEXT NOT NULL) STRICT' }]);
  const add = 'INSERT INTO notes VALUES (?) RETURNING text';
  const [failed, added, unsynced] = await Promise.allSettled([
    change([
      { sql: add, values: ['lost'] },
      { sql: add, values: [null] },
    ]),
    change([{ sql: add, values: ['a'] }, { sql: 'SELECT count(*) AS count FROM notes' }]),
    change([{ sql: add, values: ['b'] }], { isSynced: false }),
  ]);
  expect(failed).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringMatching(/NOT NULL/) },
  });
  expect(added).toEqual({ status: 'fulfilled', value: [[{ text: 'a' }], [{ count: 1 }]] });
  expect(unsynced).toEqual({ status: 'fulfilled', value: [[{ text: 'b' }]] });
  expect(await change([{ sql: 'SELECT text FROM notes' }])).toEqual([[{ text: 'a' }, { text: 'b' }]]);
});

it('calls to SQLite that wait together are one transaction, and one that fails fails alone', async () => {
  const { path, erase } = temporaryDatabase();
  const { open, injectedErrors } = faultySqlite();
  const { change, close } = open(path);
  onTestFinished(async () => {
    await close();
    erase();
  });
  await change([{ sql: 'CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT' }]);
  const add = { sql: 'INSERT INTO notes (text) VALUES (?)' };
  const texts = Array.from({ length: 60 }, (_, i) => (i % 7 === 3 ? null : `note ${i}`));
  const before = injectedErrors.writes();
  const outcomes = await Promise.allSettled(
    texts.map((text, i) =>
      change(
        [
          { ...add, values: ['first'] },
          { ...add, values: [text] },
        ],
        { isSynced: i % 2 === 0 },
      ),
    ),
  );
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(texts.map((text) => text !== null));
  const [rows = []] = await change([{ sql: 'SELECT text FROM notes ORDER BY n' }]);
  expect(rows.map(({ text }) => text)).toEqual(
    texts.flatMap((text) => (text === null ? [] : ['first', text])),
  );
  // Each commit counts as a write.
  expect(injectedErrors.writes() - before).toBeLessThan(texts.length / 2);
  injectedErrors.failAt(1);
  const failed = await Promise.allSettled(texts.map(() => change([{ ...add, values: ['lost'] }])));
  expect(failed.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  injectedErrors.failAt(null);
  expect(await change([{ sql: "SELECT count(*) AS lost FROM notes WHERE text = 'lost'" }])).toEqual([
    [{ lost: 0 }],
  ]);
});
