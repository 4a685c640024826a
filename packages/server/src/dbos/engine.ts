import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { AgentError } from '@vitrine/core';
import pg from 'pg';
import type { SessionAddress } from '../host/session-host.ts';
import { type HostDatabase, openPool } from './host-database.ts';
import { endMs } from './leases.ts';
import { application, queueName, type WakeQueue, workflowName } from './wake-queue.ts';

/** The interval at which DBOS looks for queued work, in milliseconds. */
const pollMs = 100;
/** The pause before a process that was taken for dead begins again, in milliseconds. */
const againMs = 500;
/** The looks for dead processes between two removals of ended workflows. */
const looksPerCollection = 10;

export type ServeWake = (address: SessionAddress, n: number) => Promise<void>;

export type EngineOptions = {
  readonly url: string;
  readonly name: string;
  readonly version: string;
  readonly deadMs: number;
  readonly database: HostDatabase;
  readonly queue: WakeQueue;
  readonly serve: ServeWake;
  /** Ends all that this process runs, because another one goes on with it. */
  readonly endAll: () => void;
};

/** Runs work outside of workflows: DBOS numbers what a workflow begins, and sessions keep no such order. */
const outside = AsyncLocalStorage.snapshot();

/** DBOS has one engine for a process, and so has a host. */
let serving: ServeWake | null = null;
let isRegistered = false;

function register(): void {
  if (isRegistered) return;
  isRegistered = true;
  DBOS.registerWorkflow(
    async (address: SessionAddress, n: number) => {
      const serve = serving;
      if (serve !== null) await outside(() => serve(address, n));
    },
    // A session is never given up: it is begun again as often as its processes die.
    { name: workflowName, maxRecoveryAttempts: Number.MAX_SAFE_INTEGER },
  );
}

/** Runs queued wake-ups in this process until it is stopped. A process that was taken for dead begins a new life. */
export async function startEngine(
  options: EngineOptions,
): Promise<{ readonly stop: (graceMs: number) => Promise<void> }> {
  const { endAll } = options;
  if (serving !== null || DBOS.isInitialized()) {
    const message =
      'dbosHost: DBOS runs in this process already, and there is one of it in a process. Stop the other host first, or start this one in a process of its own.';
    throw new AgentError('agent-invalid', message);
  }
  serving = options.serve;
  let life: Life | null = null;
  let isStopping = false;
  let changing: Promise<void> = Promise.resolve();

  /** Ends this life and begins the next one under another id, once the database answers. */
  async function beginAgain(): Promise<void> {
    endAll();
    await life?.end(0);
    life = null;
    while (!isStopping && life === null) {
      life = await beginLife(options, onReplaced).catch(() => null);
      if (life === null) await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
  const next = (): Promise<void> | undefined => (isStopping ? undefined : beginAgain());
  let isReplaced = false;
  const onReplaced = (): void => {
    isReplaced = true;
    changing = changing.then(next, next);
  };

  const first = beginLife(options, onReplaced).then((begun) => void (life = begun));
  changing = first;
  try {
    await first;
  } catch (thrown) {
    if (!isReplaced) {
      serving = null;
      throw thrown;
    }
    // A busy machine took so long that others took this process for dead while it began.
    await changing;
  }
  return {
    async stop(graceMs) {
      isStopping = true;
      await changing;
      const timer = setTimeout(endAll, graceMs);
      await life?.end(graceMs + 2 * endMs);
      clearTimeout(timer);
      endAll();
      serving = null;
    },
  };
}

type Life = { readonly end: (drainMs: number) => Promise<void> };

/** The life of a process under one id. */
async function beginLife(options: EngineOptions, onReplaced: () => void): Promise<Life> {
  const { url, name, version, deadMs, database } = options;
  // The id stands in names of connections, of at most 63 letters.
  const id = randomBytes(9).toString('base64url');
  const executor = await joinExecutors(database, id, { url, name, version, deadMs, onReplaced });
  // DBOS would set the limit of a transaction with a query of its own, about which pg warns.
  const pool = openPool(url, name, deadMs);
  try {
    await launch(options, id, pool).catch(async () => {
      // The tables are of an older version, and processes that change them at once would fail.
      await DBOS.shutdown();
      await database.alone(() => DBOS.migrate(url));
      await launch(options, id, pool);
    });
    await DBOS.registerQueue(queueName, {
      partitionConcurrency: 1,
      minPollingIntervalMs: pollMs,
      onConflict: 'always_update',
    });
  } catch (thrown) {
    await DBOS.shutdown().catch(() => undefined);
    await pool.end();
    await executor.leave();
    throw thrown;
  }
  const looking = look(options, executor);
  return {
    async end(drainMs) {
      looking.stop();
      await DBOS.shutdown({ workflowCompletionTimeoutMS: drainMs }).catch(() => undefined);
      await pool.end();
      await executor.leave();
    },
  };
}

async function launch({ url, version }: EngineOptions, id: string, pool: pg.Pool): Promise<void> {
  register();
  DBOS.setConfig({
    name: application,
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    executorID: id,
    applicationVersion: version,
    runMigrations: false,
    logLevel: 'error',
  });
  await DBOS.launch();
}

/** Looks for the work of dead processes, and for what is left behind, until it is stopped. */
function look({ queue, deadMs, version }: EngineOptions, executor: Executor): { readonly stop: () => void } {
  let looks = 0;
  let isLooking = false;
  async function lookOnce(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      await recoverOrphans(version, executor);
      await queue.adopt();
      if (looks++ % looksPerCollection === 0) await queue.collect();
    } catch {
      // The database failed; the timer looks again.
    } finally {
      isLooking = false;
    }
  }
  const timer = setInterval(() => void lookOnce(), deadMs / 5);
  void lookOnce();
  return { stop: () => clearInterval(timer) };
}

/** Queues again what dead processes ran. DBOS does so for its own id alone, so this calls inside the pinned version. */
async function recoverOrphans(version: string, executor: Executor): Promise<void> {
  // In this order: a process joins before it runs anything.
  const running = await DBOS.listWorkflows({
    workflowName,
    status: 'PENDING',
    applicationVersion: version,
    loadInput: false,
    loadOutput: false,
  });
  const living = await executor.sweep();
  const owners = new Set(running.map(({ executorId = '' }) => executorId));
  const dead = [...owners].filter((id) => !living.has(id));
  if (dead.length > 0) await DBOSExecutor.globalInstance?.recoverPendingWorkflows(dead);
}

/** A process among those that run sessions, for one life: an id is never used again. */
type Executor = Awaited<ReturnType<typeof joinExecutors>>;

type ExecutorOptions = {
  readonly url: string;
  /** The name of the connections of this process, which others end with it. */
  readonly name: string;
  readonly version: string;
  readonly deadMs: number;
  /** Called once, when this process was taken for dead. */
  readonly onReplaced: () => void;
};

/**
 * Joins the processes that run sessions. A lock of a connection tells of a killed process at once, a beat of a stopped
 * one after `deadMs`. Clocks are the database's.
 */
async function joinExecutors(
  { rows }: HostDatabase,
  id: string,
  { url, name, version, deadMs, onReplaced }: ExecutorOptions,
) {
  // 63 bits, unlike any lock of others.
  const lock = String(randomBytes(8).readBigInt64BE());
  const holder = new pg.Client({ connectionString: url, application_name: name });
  let isOver = false;

  function end(): void {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    onReplaced();
  }

  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock($1)', [lock]);
  await rows(
    'INSERT INTO vitrine_host_executors (id, name, version, lock, beat) VALUES ($1, $2, $3, $4, clock_timestamp())',
    [id, name, version, lock],
  );
  const timer = setInterval(() => {
    void rows('UPDATE vitrine_host_executors SET beat = clock_timestamp() WHERE id = $1 RETURNING id', [id])
      // A database that does not answer takes nobody for dead.
      .then(
        (beaten) => beaten.length > 0 || end(),
        () => undefined,
      );
  }, deadMs / 5);
  holder.once('end', end);

  return {
    /** Removes the processes that have died or were silent for too long. @returns the ids of all that live */
    async sweep(): Promise<ReadonlySet<string>> {
      const dead = await rows(
        `DELETE FROM vitrine_host_executors WHERE id <> $1
           AND (beat < clock_timestamp() - $2 * interval '1 ms' OR pg_try_advisory_xact_lock(lock)) RETURNING name`,
        [id, deadMs],
      );
      // One that was stopped in a transaction keeps its locks, and all would wait for them.
      if (dead.length > 0)
        await rows(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = ANY ($1) AND usename = current_user AND pid <> pg_backend_pid()`,
          [dead.map((row) => row['name'])],
        );
      const living = await rows('SELECT id FROM vitrine_host_executors');
      return new Set(living.map((row) => String(row['id'])));
    },
    /** Ends this life; others go on with what it ran. */
    async leave(): Promise<void> {
      isOver = true;
      clearInterval(timer);
      await holder.end().catch(() => undefined);
    },
  };
}
