import type { SessionLoad } from '@vitrine/persist';
import type { SqliteStatement } from '@vitrine/proxy/sqlite';
import { maxEpochs, type PendingCommand, type SessionAddress } from '../host/session-host.ts';
import { beginsSession, mostBytesFor, type OwnerLimits, refusalOf, rowBytes } from '../host/owner-limits.ts';
import { type HostTables, now } from './host-tables.ts';

/** The next write of a session syncs it. After a power cut a run may be repeated, with nothing to do. */
const unsynced = { isSynced: false } as const;

export async function forget({ change }: HostTables, owner: string, sessionId: string): Promise<void> {
  const all = ['host_commands', 'host_wakes', 'host_epochs', 'host_effects', 'host_deaths'];
  await change(
    all.map((table) => ({
      sql: `DELETE FROM ${table} WHERE owner = ? AND session = ?`,
      values: [owner, sessionId],
    })),
    { frees: true },
  );
}

/** True for a session that is stored, or that a waiting command begins; its owner is `?1` and its id `?2`. */
const isThere = `(EXISTS (SELECT 1 FROM sessions WHERE owner = ?1 AND id = ?2)
  OR EXISTS (SELECT 1 FROM host_commands WHERE owner = ?1 AND session = ?2 AND answer IS NULL))`;

/** The sessions of the owner `?1`, with those that waiting commands begin. */
const sessionsOf = `(coalesce((SELECT sessions FROM usage WHERE owner = ?1), 0)
  + (SELECT count(DISTINCT session) FROM host_commands AS waiting WHERE owner = ?1 AND answer IS NULL AND NOT EXISTS (
      SELECT 1 FROM sessions JOIN rows ON rows.session = key WHERE sessions.owner = ?1 AND sessions.id = waiting.session)))`;

const bytesOf = '(coalesce((SELECT bytes FROM usage WHERE owner = ?1), 0))';

/** Keeps a command and its wake-up; false for a known one. @throws AgentError where its owner has no room */
export async function keepCommand(
  { change }: HostTables,
  { owner, agent, sessionId }: SessionAddress,
  { command, by, at = 0 }: PendingCommand & { readonly at: number | undefined },
  limits: OwnerLimits,
): Promise<boolean> {
  const { id, type } = command;
  const text = JSON.stringify(command);
  const size = Buffer.byteLength(text) + rowBytes;
  const [asked = [], kept = []] = await change([
    {
      sql: `SELECT ${isThere} AS is_there, ${sessionsOf} AS sessions, ${bytesOf} AS bytes,
        EXISTS (SELECT 1 FROM host_commands WHERE owner = ?1 AND session = ?2 AND id = ?3) AS is_kept`,
      values: [owner, sessionId, id],
    },
    {
      // The conditions of refusalOf, so that counting and keeping are one transaction.
      sql: `INSERT INTO host_commands (owner, agent, session, id, command, given_by, at)
        SELECT ?1, ?3, ?2, ?4, ?5, ?6, ?7
        WHERE (${isThere} OR ?8 AND ${sessionsOf} < ?9) AND ${bytesOf} + ?10 <= ?11
        ON CONFLICT DO NOTHING RETURNING n`,
      values: [
        owner,
        sessionId,
        agent,
        id,
        text,
        by,
        Math.ceil(at),
        beginsSession(type) ? 1 : 0,
        limits.sessions,
        size,
        mostBytesFor(type, limits),
      ],
    },
    {
      sql: `INSERT INTO host_wakes (owner, agent, session, at, is_command)
        SELECT ?, ?, ?, max(CAST(? AS INTEGER), ${now}), 1 WHERE changes() = 1`,
      values: [owner, agent, sessionId, Math.ceil(at)],
    },
  ]);
  const [found] = asked;
  if (kept.length === 1 || Number(found?.['is_kept']) === 1) return kept.length === 1;
  const usage = { sessions: Number(found?.['sessions']), bytes: Number(found?.['bytes']) };
  const refused = refusalOf({ type, size }, { ...usage, isThere: Number(found?.['is_there']) === 1 }, limits);
  if (refused !== null) throw refused;
  return false;
}

/** Keeps a wake-up for a time; one in the past is due at once. */
export async function addWake(
  { change }: HostTables,
  { owner, agent, sessionId }: SessionAddress,
  at: number,
): Promise<void> {
  const sql = `INSERT INTO host_wakes (owner, agent, session, at, is_command) VALUES (?, ?, ?, max(CAST(? AS INTEGER), ${now}), 0)`;
  await change([{ sql, values: [owner, agent, sessionId, Math.ceil(at)] }]);
}

/** Begins an epoch of a session, whose run counts as one that dies until its end is kept. Resolves with its number. */
export async function beginEpoch(
  { change }: HostTables,
  { owner, sessionId }: SessionAddress,
): Promise<number> {
  const [, begun = []] = await change(
    [
      {
        sql: 'INSERT INTO host_deaths (owner, session, runs) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET runs = runs + 1',
        values: [owner, sessionId],
      },
      {
        sql: 'INSERT INTO host_epochs (owner, session) VALUES (?, ?) RETURNING epoch',
        values: [owner, sessionId],
      },
    ],
    unsynced,
  );
  return Number(begun[0]?.['epoch']);
}

/** The number of the last runs of a session whose process died with them. */
export function deathsOf({ all }: HostTables, { owner, sessionId }: SessionAddress): number {
  const sql = 'SELECT runs FROM host_deaths WHERE owner = ? AND session = ?';
  return Number(all(sql, owner, sessionId)[0]?.['runs'] ?? 0);
}

/** Keeps that the runs of a session so far do not kill their process. */
export async function forgetDeaths({ change }: HostTables, address: SessionAddress): Promise<void> {
  await change([forgettingDeaths(address)], unsynced);
}

function forgettingDeaths({ owner, sessionId }: SessionAddress): SqliteStatement {
  return { sql: 'DELETE FROM host_deaths WHERE owner = ? AND session = ?', values: [owner, sessionId] };
}

/** Notes where an epoch began, and forgets old epochs of the session. */
export async function noteStart(
  { change }: HostTables,
  { owner, sessionId }: SessionAddress,
  epoch: number,
  load: SessionLoad,
): Promise<void> {
  const journal = load.kind === 'there' ? load.session.journal : null;
  await change(
    [
      {
        sql: 'UPDATE host_epochs SET journal = ?, record = ? WHERE epoch = ?',
        values: [journal?.id ?? null, journal?.records ?? 0, epoch],
      },
      {
        sql: `DELETE FROM host_epochs WHERE owner = ?1 AND session = ?2 AND epoch <= (
         SELECT epoch FROM host_epochs WHERE owner = ?1 AND session = ?2
         ORDER BY epoch DESC LIMIT 1 OFFSET ${maxEpochs})`,
        values: [owner, sessionId],
      },
    ],
    unsynced,
  );
}

/** The wake-ups that a run serves: those up to a number that were due at a time, in milliseconds. */
export type ServedWakes = { readonly last: number; readonly due: number };

/** Removes the wake-ups that were due when a run began, and those of commands when none is left. */
export async function settleWakes(
  { change }: HostTables,
  address: SessionAddress,
  { last, due }: ServedWakes,
): Promise<void> {
  const { owner, agent, sessionId } = address;
  await change(
    [
      forgettingDeaths(address),
      {
        sql: `DELETE FROM host_wakes WHERE owner = ?1 AND agent = ?2 AND session = ?3 AND (n <= ?4 AND at <= ?5
         OR is_command AND at <= ${now} AND NOT EXISTS (
           SELECT 1 FROM host_commands WHERE owner = ?1 AND session = ?3 AND answer IS NULL AND at <= ${now}))`,
        values: [owner, agent, sessionId, last, due],
      },
    ],
    unsynced,
  );
}
