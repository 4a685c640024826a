import type { EnvRecord } from '../env-record.ts';
import { defaultLogLimits } from './stream-log.ts';

/** How much and how long a stream may take. Times in milliseconds, sizes in bytes of JSON (counted as characters). */
export type StreamLimits = {
  /** Longest wait for the first event of an upstream. Default: 2 minutes. `VITRINE_FIRST_EVENT_MS`. */
  readonly firstEventMs: number;
  /** Longest silence between two events of an upstream. Default: 1 minute. `VITRINE_IDLE_MS`. */
  readonly idleMs: number;
  /** Longest time from the question to the last event. Default: 15 minutes. `VITRINE_TOTAL_MS`. */
  readonly totalMs: number;
  /** How long an upstream goes on without a reader, so that one may come back. Default: 10 s. `VITRINE_RESUME_GRACE_MS`. */
  readonly resumeGraceMs: number;
  /** The most that one event may take. Default: 8 MiB. `VITRINE_FRAME_BYTES`. */
  readonly frameBytes: number;
  /** The most that one stream may take. Default: 32 MiB. `VITRINE_STREAM_BYTES`. */
  readonly streamBytes: number;
  /** The most that finished streams in memory may take together. Default: 64 MiB. `VITRINE_FINISHED_BYTES`. */
  readonly finishedBytes: number;
  /** How long a finished stream in memory can be read again. Default: 10 minutes. `VITRINE_FINISHED_MS`. */
  readonly finishedMs: number;
  /** After how long without a sign a process counts as dead, for others on the same log. Default: 10 s. `VITRINE_LEASE_MS`. */
  readonly leaseMs: number;
};

const rows: { readonly [Name in keyof StreamLimits]: readonly [variable: string, value: number] } = {
  firstEventMs: ['VITRINE_FIRST_EVENT_MS', 120_000],
  idleMs: ['VITRINE_IDLE_MS', 60_000],
  totalMs: ['VITRINE_TOTAL_MS', 15 * 60_000],
  resumeGraceMs: ['VITRINE_RESUME_GRACE_MS', 10_000],
  frameBytes: ['VITRINE_FRAME_BYTES', 8 * 1024 * 1024],
  streamBytes: ['VITRINE_STREAM_BYTES', 32 * 1024 * 1024],
  finishedBytes: ['VITRINE_FINISHED_BYTES', defaultLogLimits.finishedBytes],
  finishedMs: ['VITRINE_FINISHED_MS', defaultLogLimits.finishedMs],
  leaseMs: ['VITRINE_LEASE_MS', 10_000],
};

const names = Object.keys(rows) as (keyof StreamLimits)[];

/** The environment variables that set limits. */
export const streamLimitVariables: readonly string[] = names.map((name) => rows[name][0]);

/** The limits with their defaults where none are given. */
export function streamLimits(given: Partial<StreamLimits> = {}): StreamLimits {
  return Object.fromEntries(names.map((name) => [name, given[name] ?? rows[name][1]])) as StreamLimits;
}

/** The limits that environment variables set; a variable that is empty, or no number of 0 or more, sets none. */
export function streamLimitsFromEnv(env: EnvRecord): Partial<StreamLimits> {
  const set = names.flatMap((name) => {
    const text = env[rows[name][0]]?.trim();
    const value = Number(text);
    return text && Number.isFinite(value) && value >= 0 ? [[name, value] as const] : [];
  });
  return Object.fromEntries(set);
}
