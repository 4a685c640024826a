import { AgentError } from '@vitrine/core';
import type {
  CommandAnswer,
  EpochStart,
  HostedCommand,
  PendingCommand,
  SessionAddress,
} from './session-host.ts';

/** A row of a table of a host. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** The address in the columns `owner`, `agent` and `session`. */
export function addressOf(row: StoredRow): SessionAddress {
  return { owner: String(row['owner']), agent: String(row['agent']), sessionId: String(row['session']) };
}

/** The command in the columns `command` and `given_by`. */
export function commandOf(row: StoredRow): PendingCommand {
  return { command: JSON.parse(String(row['command'])) as HostedCommand, by: String(row['given_by']) };
}

/** The answer in the column `answer`; `waiting` without one, null without a row. */
export function answerIn(row: StoredRow | undefined): CommandAnswer | 'waiting' | null {
  if (row === undefined) return null;
  const { answer } = row;
  return typeof answer === 'string' ? (JSON.parse(answer) as CommandAnswer) : 'waiting';
}

/** The start of an epoch in the columns `epoch`, `journal` and `record`. */
export function startOf({ epoch, journal, record }: StoredRow): EpochStart {
  return {
    epoch: Number(epoch),
    journalId: journal === null ? null : String(journal),
    record: Number(record),
  };
}

/** Rejects what a run of an epoch wants to keep after a newer one has begun. @throws AgentError `session-conflict` */
export function assertNewest(what: string, epoch: number, newest: number): void {
  if (newest <= epoch) return;
  const message = `${what} comes from epoch ${epoch}, and epoch ${newest} has begun. Nothing was kept or called.`;
  throw new AgentError('session-conflict', message);
}
