import { AgentError } from '@vitrine/core';
import {
  type CommandAnswer,
  type HostedCommand,
  maxAnswered,
  type SessionAddress,
  type SessionHost,
} from './session-host.ts';

export type StoredRow = Readonly<Record<string, unknown>>;

/** The address in the columns `owner`, `agent` and `session`. */
export function addressOf(row: StoredRow): SessionAddress {
  return { owner: String(row['owner']), agent: String(row['agent']), sessionId: String(row['session']) };
}

type HostValue = string | number;

/** A statement, and the values of `$1`, `$2` and so on in it. */
export type HostStatement = { readonly sql: string; readonly values: readonly HostValue[] };

type HostRows = {
  /** The beginning of the names of its tables. */
  readonly prefix: string;
  /** The clock of the database in milliseconds, as an SQL expression. */
  readonly now: string;
  readonly rows: (sql: string, ...values: readonly HostValue[]) => Promise<readonly StoredRow[]>;
  /** Runs statements in one transaction of a session. Resolves with the rows of each. */
  readonly change: (
    address: SessionAddress,
    statements: readonly HostStatement[],
  ) => Promise<readonly (readonly StoredRow[])[]>;
};

/** The part of a host that its rows are enough for. */
export function hostOverRows({
  prefix,
  now,
  rows,
  change,
}: HostRows): Pick<SessionHost, 'pending' | 'answer' | 'answerOf' | 'epochs' | 'isAwake'> {
  const commands = `${prefix}commands`;
  const newestEpoch = `(SELECT coalesce(max(epoch), 0) FROM ${prefix}epochs WHERE owner = $1 AND session = $2)`;
  return {
    async pending({ owner, sessionId }) {
      const found = await rows(
        `SELECT command, given_by FROM ${commands}
         WHERE owner = $1 AND session = $2 AND answer IS NULL AND at <= ${now} ORDER BY n`,
        owner,
        sessionId,
      );
      return found.map((row) => ({
        command: JSON.parse(String(row['command'])) as HostedCommand,
        by: String(row['given_by']),
      }));
    },
    async answer(address, commandId, answer, epoch) {
      const ofSession = [address.owner, address.sessionId];
      const [found = []] = await change(address, [
        { sql: `SELECT ${newestEpoch} AS epoch`, values: ofSession },
        {
          // The text of an answered command is in its session.
          sql: `UPDATE ${commands} SET answer = $4, command = ''
            WHERE owner = $1 AND session = $2 AND id = $3 AND answer IS NULL AND ${newestEpoch} <= $5`,
          values: [...ofSession, commandId, JSON.stringify(answer), epoch],
        },
        {
          sql: `DELETE FROM ${commands} WHERE owner = $1 AND session = $2 AND answer IS NOT NULL AND n <= (
            SELECT n FROM ${commands} WHERE owner = $1 AND session = $2 AND answer IS NOT NULL
            ORDER BY n DESC LIMIT 1 OFFSET ${maxAnswered})`,
          values: ofSession,
        },
      ]);
      assertNewest(`The answer to command ${commandId}`, epoch, Number(found[0]?.['epoch']));
    },
    async answerOf({ owner, sessionId }, commandId) {
      const sql = `SELECT answer FROM ${commands} WHERE owner = $1 AND session = $2 AND id = $3`;
      const [row] = await rows(sql, owner, sessionId, commandId);
      if (row === undefined) return null;
      const { answer } = row;
      return typeof answer === 'string' ? (JSON.parse(answer) as CommandAnswer) : 'waiting';
    },
    async epochs({ owner, sessionId }, after) {
      // An epoch whose run has read nothing yet is not among them.
      const sql = `SELECT epoch, journal, record FROM ${prefix}epochs
        WHERE owner = $1 AND session = $2 AND epoch > $3 AND record IS NOT NULL ORDER BY epoch`;
      return (await rows(sql, owner, sessionId, after)).map(({ epoch, journal, record }) => ({
        epoch: Number(epoch),
        journalId: journal === null ? null : String(journal),
        record: Number(record),
      }));
    },
    async isAwake({ owner, agent, sessionId }) {
      const sql = `SELECT 1 FROM ${prefix}wakes WHERE owner = $1 AND agent = $2 AND session = $3 AND at <= ${now} LIMIT 1`;
      return (await rows(sql, owner, agent, sessionId)).length > 0;
    },
  };
}

/** Rejects what a run of an epoch wants to keep after a newer one has begun. @throws AgentError `session-conflict` */
export function assertNewest(what: string, epoch: number, newest: number): void {
  if (newest <= epoch) return;
  const message = `${what} comes from epoch ${epoch}, and epoch ${newest} has begun. Nothing was kept or called.`;
  throw new AgentError('session-conflict', message);
}
