import { createHash, randomUUID } from 'node:crypto';
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { SessionAddress } from '../host/session-host.ts';
import { addressOf } from '../host/stored-rows.ts';
import { addCommandWake, addWake, delayWake, endEpoch, handWake, type WakeWorkflow } from './host-rows.ts';
import { type HostDatabase, now, type Rows } from './host-database.ts';
import type pg from 'pg';

/** The names in the tables of DBOS. */
export const application = 'vitrine';
export const queueName = 'vitrine-sessions';
export const workflowName = 'vitrine-session';

/** The time after which a workflow that has ended is removed, in milliseconds. */
const keptMs = 60_000;
/** The time after which a due wake-up is looked after, in milliseconds. */
const lateMs = 5000;
const mostAtOnce = 500;
const openStatus = new Set(['ENQUEUED', 'DELAYED', 'PENDING']);

/** The wake-ups of sessions as workflows of DBOS, one at a time for a session. */
export type WakeQueue = Awaited<ReturnType<typeof createWakeQueue>>;

/** The wake-ups that a process takes which runs none of them: rows, which the processes that run sessions queue. */
export const wakeRows: Pick<WakeQueue, 'addForCommand' | 'addAt' | 'close'> = {
  addForCommand: async (rows, _connection, address) => void (await addCommandWake(rows, address, null)),
  addAt: async (rows, _connection, address, at) => void (await addWake(rows, address, at)),
  close: async () => undefined,
};

export async function createWakeQueue(database: HostDatabase, url: string, version: string) {
  const { change, pool } = database;
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    applicationName: application,
  });

  // A row, and no id of DBOS, says which workflow counts: its ids are held until the end.
  const newWorkflow = (): WakeWorkflow => ({ workflow: `${workflowName}/${randomUUID()}`, version });

  /** Queues a wake-up that is due. One for later stays a row: DBOS would take its time from the clock of this process. */
  async function enqueue(
    rows: Rows,
    connection: pg.PoolClient,
    address: SessionAddress,
    n: number,
  ): Promise<void> {
    const workflow = newWorkflow();
    if (await handWake(rows, n, workflow))
      await client.enqueueInTransaction(connection, queuedAs(address, workflow), address, n);
  }

  return {
    /** Wakes a session with a command, in the transaction that keeps it. */
    async addForCommand(rows: Rows, connection: pg.PoolClient, address: SessionAddress): Promise<void> {
      const workflow = newWorkflow();
      // One wake-up waits at a time: a workflow for each command would pile up behind a run that goes on.
      const n = await addCommandWake(rows, address, workflow);
      if (n !== null) await client.enqueueInTransaction(connection, queuedAs(address, workflow), address, n);
    },
    /** Wakes a session at a time, in a transaction of the session. */
    async addAt(rows: Rows, connection: pg.PoolClient, address: SessionAddress, at: number): Promise<void> {
      const { n, waitMs } = await addWake(rows, address, at);
      if (waitMs <= 0) await enqueue(rows, connection, address, n);
    },
    /** Gives a wake-up to a later run, and ends the epoch of this one. Does nothing when a later epoch has begun. */
    giveBack: (address: SessionAddress, n: number, epoch: number | null, waitMs: number): Promise<void> =>
      change(address, async (rows, connection) => {
        if (epoch !== null && !(await endEpoch(rows, epoch))) return;
        if (waitMs > 0) await delayWake(rows, n, waitMs);
        else await enqueue(rows, connection, address, n);
      }),
    /** Queues the wake-ups that have come due, and those whose workflow is gone, or of a version that no process runs. */
    async adopt(): Promise<void> {
      for (const { address, n, workflow } of await strays(database, client)) {
        // First, so that it holds no place of its session; until the next line another look finds the same wake-up.
        if (workflow !== null) await client.deleteWorkflows([workflow]);
        await change(address, async (rows, connection) => {
          const [wake] = await rows(
            'SELECT n FROM vitrine_host_wakes WHERE n = $1 AND workflow IS NOT DISTINCT FROM $2',
            [n, workflow],
          );
          if (wake !== undefined) await enqueue(rows, connection, address, n);
        });
      }
    },
    /** Removes workflows that have ended. DBOS removes none without its Conductor. */
    collect: (): Promise<void> => collect(database, client),
    close: (): Promise<void> => client.destroy(),
  };
}

type Stray = { readonly address: SessionAddress; readonly n: number; readonly workflow: string | null };

/** Due wake-ups that no process will have: without a workflow, of versions without a process, or late without an open one. */
async function strays({ rows }: HostDatabase, client: DBOSClient): Promise<readonly Stray[]> {
  const found = await rows(
    `SELECT * FROM (SELECT *, workflow IS NULL OR version NOT IN (SELECT version FROM vitrine_host_executors) AS is_left
       FROM vitrine_host_wakes WHERE at <= ${now}) AS due
     WHERE is_left OR at < ${now} - $1 ORDER BY at LIMIT ${mostAtOnce}`,
    [lateMs],
  );
  const wakes = found.map((row) => ({
    address: addressOf(row),
    n: Number(row['n']),
    workflow: typeof row['workflow'] === 'string' ? row['workflow'] : null,
    isLeft: row['is_left'] === true,
  }));
  const workflowIDs = wakes.flatMap(({ workflow }) => workflow ?? []);
  // DBOS fails when it is asked for none.
  const known =
    workflowIDs.length === 0
      ? []
      : await client.listWorkflows({ workflowIDs, loadInput: false, loadOutput: false });
  const open = new Set(
    known.filter(({ status }) => openStatus.has(status)).map(({ workflowID }) => workflowID),
  );
  return wakes.filter(({ isLeft, workflow }) => isLeft || workflow === null || !open.has(workflow));
}

async function collect({ rows }: HostDatabase, client: DBOSClient): Promise<void> {
  const [clock] = await rows(`SELECT ${now} - $1 AS before`, [keptMs]);
  const ended = await client.listWorkflows({
    workflowName,
    status: ['SUCCESS', 'ERROR', 'CANCELLED'],
    completedBefore: new Date(Number(clock?.['before'])).toISOString(),
    limit: mostAtOnce,
    loadInput: false,
    loadOutput: false,
  });
  if (ended.length > 0) await client.deleteWorkflows(ended.map(({ workflowID }) => workflowID));
}

type QueuedWorkflow = Parameters<DBOSClient['enqueueInTransaction']>[1];

function queuedAs(address: SessionAddress, { workflow, version }: WakeWorkflow): QueuedWorkflow {
  return {
    queueName,
    workflowName,
    workflowID: workflow,
    queuePartitionKey: partitionOf(address),
    appVersion: version,
  };
}

function partitionOf({ owner, sessionId }: SessionAddress): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, sessionId]))
    .digest('hex');
}
