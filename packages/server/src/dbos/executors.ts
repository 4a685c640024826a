import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { HostDatabase } from './host-database.ts';

/** A process among those that run sessions, for one life: an id is never used again. */
export type Executor = Awaited<ReturnType<typeof joinExecutors>>;

export type ExecutorOptions = {
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
export async function joinExecutors(
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
