import type { SessionLoad } from '@vitrine/core/stores';
import {
  type CommandAnswer,
  type EpochStart,
  type HostedCommand,
  type PendingCommand,
  type SessionAddress,
  maxAnswered,
  maxEpochs,
} from '../host/session-host.ts';
import { answerIn, assertNewest, commandOf, startOf } from '../host/stored-rows.ts';
import { type HostTables, newestEpoch, now } from './host-tables.ts';

/** Removes all rows of a session. */
export function forget({ run, write }: HostTables, owner: string, sessionId: string): void {
  write(() => {
    for (const table of ['host_commands', 'host_wakes', 'host_epochs', 'host_effects', 'host_deaths'])
      run(`DELETE FROM ${table} WHERE owner = ? AND session = ?`, owner, sessionId);
  });
}

/** Keeps a command and its wake-up. False for a command that was kept before. */
export function keepCommand(
  { run, write }: HostTables,
  address: SessionAddress,
  command: HostedCommand,
  by: string,
): boolean {
  const { owner, agent, sessionId } = address;
  return write(() => {
    const { changes } = run(
      'INSERT INTO host_commands (owner, agent, session, id, command, given_by) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      owner,
      agent,
      sessionId,
      command.id,
      JSON.stringify(command),
      by,
    );
    if (changes === 1) addWake({ run }, address, { at: 0, isCommand: true });
    return changes === 1;
  });
}

/** Keeps a wake-up for a command or for a time; one in the past is due at once. */
export function addWake(
  { run }: Pick<HostTables, 'run'>,
  { owner, agent, sessionId }: SessionAddress,
  { at, isCommand }: { at: number; isCommand: boolean },
): void {
  run(
    `INSERT INTO host_wakes (owner, agent, session, at, is_command) VALUES (?, ?, ?, max(CAST(? AS INTEGER), ${now}), ?)`,
    owner,
    agent,
    sessionId,
    Math.ceil(at),
    Number(isCommand),
  );
}

/** Keeps the answer to a command; the first one stays. @throws AgentError `session-conflict` when a later epoch has begun */
export function keepAnswer(
  { all, run, write }: HostTables,
  { owner, sessionId }: SessionAddress,
  { commandId, answer, epoch }: { commandId: string; answer: CommandAnswer; epoch: number },
): void {
  write(() => {
    const newest = newestEpoch({ all }, owner, sessionId);
    assertNewest(`The answer to command ${commandId}`, epoch, newest);
    run(
      'UPDATE host_commands SET answer = ? WHERE owner = ? AND session = ? AND id = ? AND answer IS NULL',
      JSON.stringify(answer),
      owner,
      sessionId,
      commandId,
    );
    run(
      `DELETE FROM host_commands WHERE owner = ?1 AND session = ?2 AND answer IS NOT NULL AND n <= (
         SELECT n FROM host_commands WHERE owner = ?1 AND session = ?2 AND answer IS NOT NULL
         ORDER BY n DESC LIMIT 1 OFFSET ${maxAnswered})`,
      owner,
      sessionId,
    );
  });
}

/** Begins an epoch of a session, whose run counts as one that dies until its end is kept. @returns its number */
export function beginEpoch({ run, write }: HostTables, { owner, sessionId }: SessionAddress): number {
  return write(() => {
    run(
      'INSERT INTO host_deaths (owner, session, runs) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET runs = runs + 1',
      owner,
      sessionId,
    );
    return run('INSERT INTO host_epochs (owner, session) VALUES (?, ?)', owner, sessionId).key;
  });
}

/** The number of the last runs of a session whose process died with them. */
export function deathsOf({ all }: HostTables, { owner, sessionId }: SessionAddress): number {
  const sql = 'SELECT runs FROM host_deaths WHERE owner = ? AND session = ?';
  return Number(all(sql, owner, sessionId)[0]?.['runs'] ?? 0);
}

/** Keeps that the runs of a session so far do not kill their process. */
export function forgetDeaths({ run }: Pick<HostTables, 'run'>, { owner, sessionId }: SessionAddress): void {
  run('DELETE FROM host_deaths WHERE owner = ? AND session = ?', owner, sessionId);
}

/** Notes where an epoch began, and forgets old epochs of the session. */
export function noteStart({ run, write }: HostTables, epoch: number, load: SessionLoad): void {
  const journal = load.kind === 'there' ? load.session.journal : null;
  write(() => {
    run(
      'UPDATE host_epochs SET journal = ?, record = ? WHERE epoch = ?',
      journal?.id ?? null,
      journal?.records ?? 0,
      epoch,
    );
    run(
      `DELETE FROM host_epochs WHERE (owner, session) = (SELECT owner, session FROM host_epochs WHERE epoch = ?1)
         AND epoch <= (SELECT epoch FROM host_epochs
           WHERE (owner, session) = (SELECT owner, session FROM host_epochs WHERE epoch = ?1)
           ORDER BY epoch DESC LIMIT 1 OFFSET ${maxEpochs})`,
      epoch,
    );
  });
}

/** True while a wake-up of the session is due. It stays until its run has resolved. */
export function isAwake({ all }: HostTables, { owner, agent, sessionId }: SessionAddress): boolean {
  const sql = `SELECT 1 FROM host_wakes WHERE owner = ? AND agent = ? AND session = ? AND at <= ${now} LIMIT 1`;
  return all(sql, owner, agent, sessionId).length > 0;
}

/** The wake-ups that a run serves: those up to a number that were due at a time, in milliseconds. */
export type ServedWakes = { readonly last: number; readonly due: number };

/**
 * Removes the wake-ups that a run has served, and those of commands when no command is left. One for a time that had not
 * come when the run began stays.
 */
export function settleWakes(
  { run, write }: HostTables,
  address: SessionAddress,
  { last, due }: ServedWakes,
): void {
  const { owner, agent, sessionId } = address;
  write(() => {
    forgetDeaths({ run }, address);
    run(
      `DELETE FROM host_wakes WHERE owner = ?1 AND agent = ?2 AND session = ?3 AND (n <= ?4 AND at <= ?5
         OR is_command AND NOT EXISTS (SELECT 1 FROM host_commands WHERE owner = ?1 AND session = ?3 AND answer IS NULL))`,
      owner,
      agent,
      sessionId,
      last,
      due,
    );
  });
}

/** The commands of a session without an answer, in the order in which they were kept. */
export function pendingCommands(
  { all }: HostTables,
  { owner, sessionId }: SessionAddress,
): readonly PendingCommand[] {
  const rows = all(
    'SELECT command, given_by FROM host_commands WHERE owner = ? AND session = ? AND answer IS NULL ORDER BY n',
    owner,
    sessionId,
  );
  return rows.map(commandOf);
}

/** The answer to a command; `waiting` without one, null for an unknown id. */
export function answerOf(
  { all }: HostTables,
  { owner, sessionId }: SessionAddress,
  commandId: string,
): CommandAnswer | 'waiting' | null {
  const [row] = all(
    'SELECT answer FROM host_commands WHERE owner = ? AND session = ? AND id = ?',
    owner,
    sessionId,
    commandId,
  );
  return answerIn(row);
}

/** The starts of the epochs of a session after one. An epoch whose run has read nothing yet is not among them. */
export function epochsAfter(
  { all }: HostTables,
  { owner, sessionId }: SessionAddress,
  after: number,
): readonly EpochStart[] {
  const rows = all(
    'SELECT epoch, journal, record FROM host_epochs WHERE owner = ? AND session = ? AND epoch > ? AND record IS NOT NULL ORDER BY epoch',
    owner,
    sessionId,
    after,
  );
  return rows.map(startOf);
}
