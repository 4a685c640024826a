import type { SessionLoad } from '@vitrine/persist';
import { maxEpochs, type PendingCommand, type SessionAddress } from '../host/session-host.ts';
import { type OwnerLimits, type OwnerUsage, refusalOf, rowBytes } from '../host/owner-limits.ts';
import { type HostDatabase, now, type Rows } from './host-database.ts';

/** Removes all rows of a session. The epoch of a run that goes on stays, without its start. */
export async function forget({ change }: HostDatabase, owner: string, sessionId: string): Promise<void> {
  await change({ owner, sessionId }, async (rows) => {
    const ofSession = 'WHERE owner = $1 AND session = $2';
    // First, as a write of a run does: its epoch is locked before what its owner keeps is counted.
    await rows(`UPDATE vitrine_host_epochs SET record = NULL ${ofSession}`, [owner, sessionId]);
    await rows(`DELETE FROM vitrine_host_epochs ${ofSession} AND has_ended`, [owner, sessionId]);
    await rows(`DELETE FROM vitrine_host_commands ${ofSession}`, [owner, sessionId]);
    await rows(`DELETE FROM vitrine_host_wakes ${ofSession}`, [owner, sessionId]);
    await rows(`DELETE FROM vitrine_host_effects ${ofSession}`, [owner, sessionId]);
  });
}

/** The usage of an owner in this transaction, with sessions that waiting commands begin. It stays until its end. */
async function usageFor(
  rows: Rows,
  { owner, sessionId }: SessionAddress,
  commandId: string,
): Promise<OwnerUsage & { readonly isKept: boolean }> {
  await rows('SELECT vitrine_lock_session_owner($1)', [owner]);
  const [found] = await rows(
    `SELECT usage.bytes, usage.sessions + (SELECT count(DISTINCT session) FROM vitrine_host_commands AS waiting
         WHERE owner = $1 AND answer IS NULL AND NOT EXISTS (SELECT FROM vitrine_sessions AS stored
           JOIN vitrine_session_rows AS row ON row.session = stored.key
           WHERE stored.owner = $1 AND stored.id = waiting.session)) AS sessions,
       EXISTS (SELECT FROM vitrine_sessions WHERE owner = $1 AND id = $2)
         OR EXISTS (SELECT FROM vitrine_host_commands WHERE owner = $1 AND session = $2 AND answer IS NULL) AS is_there,
       EXISTS (SELECT FROM vitrine_host_commands WHERE owner = $1 AND session = $2 AND id = $3) AS is_kept
     FROM vitrine_session_usage AS usage WHERE owner = $1`,
    [owner, sessionId, commandId],
  );
  return {
    isThere: found?.['is_there'] === true,
    isKept: found?.['is_kept'] === true,
    sessions: Number(found?.['sessions']),
    bytes: Number(found?.['bytes']),
  };
}

/** Keeps a command; false for a known one. @throws AgentError where the limits of its owner do not let it in */
export async function keepCommand(
  rows: Rows,
  address: SessionAddress,
  { command, by, at = 0 }: PendingCommand & { readonly at: number | undefined },
  limits: OwnerLimits,
): Promise<boolean> {
  const { owner, agent, sessionId } = address;
  const text = JSON.stringify(command);
  const usage = await usageFor(rows, address, command.id);
  if (usage.isKept) return false;
  const size = Buffer.byteLength(text) + rowBytes;
  const refused = refusalOf({ type: command.type, size }, usage, limits);
  if (refused !== null) throw refused;
  const kept = await rows(
    `INSERT INTO vitrine_host_commands (owner, agent, session, id, command, given_by, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT DO NOTHING RETURNING n`,
    [owner, agent, sessionId, command.id, text, by, Math.ceil(at)],
  );
  return kept.length > 0;
}

/** Keeps a wake-up for a time, at the earliest for now. @returns its number, and the milliseconds until then */
export async function addWake(
  rows: Rows,
  { owner, agent, sessionId }: SessionAddress,
  at: number,
): Promise<{ readonly n: number; readonly waitMs: number }> {
  const [row] = await rows(
    `INSERT INTO vitrine_host_wakes (owner, agent, session, at, is_command)
     VALUES ($1, $2, $3, greatest($4::bigint, ${now}), false) RETURNING n, at - ${now} AS wait`,
    [owner, agent, sessionId, Math.ceil(at)],
  );
  return { n: Number(row?.['n']), waitMs: Number(row?.['wait']) };
}

/** The workflow that serves a wake-up, and the version of its process. */
export type WakeWorkflow = { readonly workflow: string; readonly version: string };

/**
 * Keeps a wake-up for a command, for a workflow or later (null). @returns its number; null when one is due and untaken
 */
export async function addCommandWake(
  rows: Rows,
  { owner, agent, sessionId }: SessionAddress,
  served: WakeWorkflow | null,
): Promise<number | null> {
  const [row] = await rows(
    `INSERT INTO vitrine_host_wakes (owner, agent, session, at, is_command, workflow, version)
     SELECT $1, $2, $3, ${now}, true, $4, $5 WHERE NOT EXISTS (SELECT FROM vitrine_host_wakes
       WHERE owner = $1 AND agent = $2 AND session = $3 AND is_command AND epoch IS NULL AND at <= ${now}) RETURNING n`,
    [owner, agent, sessionId, served?.workflow ?? null, served?.version ?? null],
  );
  return row === undefined ? null : Number(row['n']);
}

/** Gives a wake-up to a workflow. False for one that was served. */
export async function handWake(rows: Rows, n: number, { workflow, version }: WakeWorkflow): Promise<boolean> {
  const sql =
    'UPDATE vitrine_host_wakes SET workflow = $2, version = $3, epoch = NULL WHERE n = $1 RETURNING n';
  return (await rows(sql, [n, workflow, version])).length > 0;
}

/** A new epoch with the runs before it whose process died with them, or the milliseconds until it may be taken. */
export type Taken = { readonly epoch: number; readonly deaths: number } | { readonly waitMs: number };

/** Begins an epoch for a wake-up, in place of the one before; more than `deaths` wait. Null for a served one. */
export function takeWake(
  { change }: HostDatabase,
  address: SessionAddress,
  n: number,
  most: { readonly deaths: number } = { deaths: Infinity },
): Promise<Taken | null> {
  const { owner, agent, sessionId } = address;
  return change(address, async (rows) => {
    const ofSession = 'owner = $1 AND session = $2 AND NOT has_ended';
    // An epoch that has not ended is of a run whose process died, or is silent.
    const [wake] = await rows(
      `SELECT at - ${now} AS wait, (SELECT max(deaths) + 1 FROM vitrine_host_epochs WHERE ${ofSession}) AS deaths
       FROM vitrine_host_wakes WHERE n = $3`,
      [owner, sessionId, n],
    );
    if (wake === undefined) return null;
    const waitMs = Number(wake['wait']);
    if (waitMs > 0) return { waitMs };
    const deaths = Number(wake['deaths'] ?? 0);
    if (deaths > most.deaths) return { waitMs: againMs };
    const [begun] = await rows(
      `WITH ended AS (UPDATE vitrine_host_epochs SET has_ended = true WHERE ${ofSession}),
         begun AS (INSERT INTO vitrine_host_epochs (owner, session, deaths) VALUES ($1, $2, $4) RETURNING epoch),
         taken AS (UPDATE vitrine_host_wakes AS wakes SET epoch = begun.epoch FROM begun
           WHERE owner = $1 AND agent = $3 AND session = $2 AND at <= ${now})
       SELECT epoch FROM begun`,
      [owner, sessionId, agent, deaths],
    );
    const epoch = Number(begun?.['epoch']);
    return { epoch, deaths };
  });
}

/** The pause of a session that waits for another one that its process suspects, in milliseconds. */
const againMs = 1000;

/** Keeps that the runs of a session before this epoch do not kill their process. */
export async function forgetDeaths({ rows }: Pick<HostDatabase, 'rows'>, epoch: number): Promise<void> {
  await rows('UPDATE vitrine_host_epochs SET deaths = 0 WHERE epoch = $1', [epoch]);
}

export async function delayWake(rows: Rows, n: number, waitMs: number): Promise<void> {
  await rows(
    `UPDATE vitrine_host_wakes SET at = ${now} + $2::bigint, workflow = NULL, version = NULL, epoch = NULL WHERE n = $1`,
    [n, Math.ceil(waitMs)],
  );
}

/** Ends an epoch. False when a later one has ended it. */
export async function endEpoch(rows: Rows, epoch: number): Promise<boolean> {
  const ended = await rows(
    'UPDATE vitrine_host_epochs SET has_ended = true WHERE epoch = $1 AND NOT has_ended RETURNING epoch',
    [epoch],
  );
  return ended.length > 0;
}

/** Ends the epoch of a run, and removes the wake-ups that it took, and those of commands when none is left. */
export async function settleWakes(
  { change }: HostDatabase,
  address: SessionAddress,
  epoch: number,
): Promise<void> {
  const { owner, agent, sessionId } = address;
  await change(address, async (rows) => {
    if (!(await endEpoch(rows, epoch))) return;
    await rows(
      `DELETE FROM vitrine_host_wakes WHERE owner = $1 AND agent = $2 AND session = $3 AND (epoch = $4
         OR is_command AND at <= ${now} AND NOT EXISTS (SELECT FROM vitrine_host_commands
           WHERE owner = $1 AND session = $3 AND answer IS NULL AND at <= ${now}))`,
      [owner, agent, sessionId, epoch],
    );
  });
}

/** Notes where an epoch began, and forgets old epochs of the session. */
export async function noteStart(
  { rows }: Pick<HostDatabase, 'rows'>,
  { owner, sessionId }: SessionAddress,
  epoch: number,
  load: SessionLoad,
): Promise<void> {
  const journal = load.kind === 'there' ? load.session.journal : null;
  await rows(
    `WITH noted AS (UPDATE vitrine_host_epochs SET journal = $4, record = $5 WHERE epoch = $3)
     DELETE FROM vitrine_host_epochs WHERE owner = $1 AND session = $2 AND epoch <= (
       SELECT epoch FROM vitrine_host_epochs WHERE owner = $1 AND session = $2
       ORDER BY epoch DESC LIMIT 1 OFFSET ${maxEpochs})`,
    [owner, sessionId, epoch, journal?.id ?? null, journal?.records ?? 0],
  );
}
