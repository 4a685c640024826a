import { AsyncLocalStorage } from 'node:async_hooks';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { AgentError, type SessionStore } from '@vitrine/core';
import { rowSessions, type RowStorage } from '@vitrine/persist';
import { postgresSessions } from '@vitrine/proxy/postgres';
import {
  boundedRows,
  checkRows,
  defaultOwnerLimits,
  type OwnerLimits,
  withReserve,
} from '../host/owner-limits.ts';
import { defaultDeaths, type RunSession, type SessionHost } from '../host/session-host.ts';
import { startEngine } from './engine.ts';
import { randomBytes } from 'node:crypto';
import {
  counting,
  type HostDatabase,
  openHostDatabase,
  preparedQuery,
  type Row,
  type Rows,
  inDatabase,
  now,
  tables,
} from './host-database.ts';
import { hostOverRows, type HostStatement } from '../host/stored-rows.ts';
import { forget, keepCommand } from './host-rows.ts';
import { createLeases, type Leases, type SessionsInEpoch } from './leases.ts';
import { createNotifyBus } from './notify-bus.ts';
import { createWakeQueue, type WakeQueue, wakeRows } from './wake-queue.ts';

/** Options of {@link dbosHost}. */
export type DbosHostOptions = {
  /** The connection string of a PostgreSQL database (13 or newer), for sessions, host and DBOS. */
  readonly url: string;
  /** The version of the application. Its work goes to other versions once none of its processes lives. */
  readonly version: string;
  /** Milliseconds of silence after which other processes take one for dead. Default: 3,000. */
  readonly deadMs?: number;
  /** The processes that die with a session, one run after the other, before it is ended as failed. Default: 3. */
  readonly mostDeaths?: number;
  /**
   * False for a process that serves requests and runs no session. Its role of the database needs no rights on the tables
   * of DBOS; other processes look for what it takes every `deadMs` / 5. Default: true.
   */
  readonly runs?: boolean;
};

/**
 * Runs sessions in any number of processes over one PostgreSQL, with DBOS for the queue. Whoever dies is replaced by the
 * others at once, whoever is silent after `deadMs`; one that comes back finds its leases ended and takes part again as a
 * new one. A host that is never started only gives commands and follows. Needs the packages `@dbos-inc/dbos-sdk` 5.3.0
 * and `pg`.
 */
export function dbosHost(options: DbosHostOptions): SessionHost {
  const { url, version, deadMs = 3000 } = options;
  if (version === '' || !(deadMs >= 500)) {
    const message = `dbosHost: version is ${JSON.stringify(version)} and deadMs ${deadMs}; give a text, and at least 500 ms.`;
    throw new AgentError('agent-invalid', message);
  }
  const name = `vitrine ${randomBytes(6).toString('hex')}`;
  const database = openHostDatabase(url, name, deadMs);
  let limits = defaultOwnerLimits;
  const { sessions, inEpoch, rows: ownRows } = hostSessions(database, () => limits);
  const bus = createNotifyBus(url, database);
  let opening: Promise<Opened> | null = null;
  let engine: Awaited<ReturnType<typeof startEngine>> | null = null;
  let stopping: Promise<void> | null = null;

  /** Makes what the database needs with the first call. After a failure the next call tries again. */
  async function openOnce(): Promise<Opened> {
    if (stopping !== null) {
      const message = 'This host in PostgreSQL was stopped. Create a new one to use it again.';
      throw new AgentError('session-storage', message);
    }
    opening ??= inDatabase(() => open(options, database, { sessions: inEpoch, rows: ownRows }));
    return opening.catch((thrown: unknown) => {
      opening = null;
      throw thrown;
    });
  }

  async function start(run: RunSession, given = defaultOwnerLimits): Promise<void> {
    limits = given;
    const parts = (await openOnce()).engine;
    if (parts === null) return;
    const { queue, leases } = parts;
    const serve = (address: Parameters<RunSession>[0], n: number): Promise<void> =>
      leases.serve(run, address, n);
    const { endAll } = leases;
    engine = await inDatabase(() =>
      startEngine({ url, name, version, deadMs, database, queue, serve, endAll }),
    );
  }

  async function stop(graceMs: number): Promise<void> {
    await engine?.stop(graceMs);
    await bus.close();
    await opening?.then(({ queue }) => queue.close()).catch(() => undefined);
    await database.close();
  }

  return {
    sessions,
    start,
    async submit(address, command, by, at) {
      const { queue } = await openOnce();
      await database.change(address, async (rows, connection) => {
        if (!(await keepCommand(rows, address, { command, by, at }, limits))) return;
        if (at === undefined) await queue.addForCommand(rows, connection, address);
        else await queue.addAt(rows, connection, address, at);
      });
    },
    ...hostOverRows({
      prefix: 'vitrine_host_',
      now,
      rows: (sql, ...values) => openOnce().then(() => database.rows(sql, [...values])),
      async change(address, statements) {
        await openOnce();
        return database.change(address, (rows) => runAll(rows, statements));
      },
    }),
    bus,
    check: () => inDatabase(() => checkRows(ownRows(''))),
    async wakeAt(address, at) {
      const { queue } = await openOnce();
      await database.change(address, (rows, connection) => queue.addAt(rows, connection, address, at));
    },
    stop: ({ graceMs = 10_000 } = {}) => (stopping ??= stop(graceMs)),
  };
}

/** Runs statements one after the other. Resolves with the rows of each. */
async function runAll(
  rows: Rows,
  statements: readonly HostStatement[],
): Promise<readonly (readonly Row[])[]> {
  const found = [];
  for (const { sql, values } of statements) found.push(await rows(sql, [...values]));
  return found;
}

type Opened = {
  readonly queue: typeof wakeRows;
  /** The parts that run sessions; null in a process that runs none. */
  readonly engine: { readonly queue: WakeQueue; readonly leases: Leases } | null;
};

/** Opens the wake-ups of a host, and the leases of one that runs sessions. */
async function open(
  { url, version, mostDeaths = defaultDeaths, runs = true }: DbosHostOptions,
  database: HostDatabase,
  { sessions, rows }: { readonly sessions: SessionsInEpoch; readonly rows: (owner: string) => RowStorage },
): Promise<Opened> {
  if (!runs) {
    await assertTables(database);
    return { queue: wakeRows, engine: null };
  }
  // The tables of sessions come first: rows of the host are counted beside theirs.
  await rows('').head('-');
  await prepare(url, database);
  const queue = await createWakeQueue(database, url, version);
  return { queue, engine: { queue, leases: createLeases({ database, queue, sessions, mostDeaths }) } };
}

/** @throws AgentError `session-storage` where no process that runs sessions has made the tables yet */
async function assertTables({ rows }: HostDatabase): Promise<void> {
  const [found] = await rows("SELECT to_regclass('vitrine_host_epochs') IS NULL AS is_missing");
  if (found?.['is_missing'] !== true) return;
  const message =
    'The database has no tables of sessions yet, and this process makes none (runs: false). Start one that runs sessions first.';
  throw new AgentError('session-storage', message, { data: { retryable: true } });
}

/** True where the rows of the host are counted for their owners, as an SQL expression. */
const areCounted = `EXISTS (SELECT FROM pg_trigger WHERE tgname = 'vitrine_counted' AND tgrelid = to_regclass('vitrine_host_epochs'))`;

/** Creates the tables of the host, and those of DBOS where there are none. */
async function prepare(url: string, { pool, alone }: HostDatabase): Promise<void> {
  const { rows } = await pool.query(
    `SELECT to_regclass('dbos.workflow_status') IS NULL OR NOT EXISTS (SELECT FROM pg_attribute
       WHERE attrelid = to_regclass('vitrine_host_epochs') AND attname = 'deaths') OR NOT ${areCounted} AS is_new`,
  );
  if (rows[0]?.['is_new'] !== true) return;
  await alone(async () => {
    await DBOS.migrate(url);
    await pool.query(tables);
    const { rows: found } = await pool.query(`SELECT ${areCounted} AS are_counted`);
    // Several statements of one query are one transaction.
    if (found[0]?.['are_counted'] !== true) await pool.query(counting);
  });
}

/** The stored sessions of all owners, and those of one epoch. */
function hostSessions(
  database: HostDatabase,
  limits: () => OwnerLimits,
): {
  readonly sessions: (owner: string) => SessionStore;
  readonly rows: (owner: string) => RowStorage;
  readonly inEpoch: SessionsInEpoch;
} {
  const fence = new AsyncLocalStorage<{ readonly epoch: number; readonly onEnd: () => void }>();
  const store = postgresSessions({
    pool: {
      async query(sql, values) {
        const lease = fence.getStore();
        if (lease === undefined) return database.pool.query(preparedQuery(sql, values));
        const row = await database.inEpoch(lease.epoch, sql, values ?? []);
        if (row !== null) return { rows: [row] };
        lease.onEnd();
        throw new Error('The lease has ended: another run writes this session now.');
      },
    },
  });

  /** A store of an owner. A removed session takes its commands, wake-ups and epochs with it. */
  function storeOf(owner: string, own: SessionStore): SessionStore {
    return {
      ...own,
      async remove(id, options) {
        await own.remove(id, options);
        await forget(database, owner, id);
      },
    };
  }
  const rowsOf = (owner: string): RowStorage => {
    const own = withReserve(limits());
    return boundedRows(store.rows(owner, own), own);
  };
  return {
    rows: rowsOf,
    sessions: (owner) => storeOf(owner, rowSessions(rowsOf(owner))),
    inEpoch(owner, epoch, onEnd) {
      const rows = rowsOf(owner);
      // A write is in one transaction with the question whether its epoch goes on.
      const within = <Value>(work: () => Promise<Value>): Promise<Value> => fence.run({ epoch, onEnd }, work);
      return storeOf(
        owner,
        rowSessions({
          ...rows,
          write: (id, wanted) => within(() => rows.write(id, wanted)),
          append: (id, wanted) => within(() => rows.append(id, wanted)),
          remove: (id, expected) => within(() => rows.remove(id, expected)),
        }),
      );
    },
  };
}
