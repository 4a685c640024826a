import { AgentError } from '@vitrine/core';
import { type EnvRecord, numbersFrom } from '../env-record.ts';
import { longestTimerMs } from '../longest-timer.ts';
import { defaultLogLimits } from './stream-log.ts';

/** How much and how long a stream may take. Times in milliseconds, sizes in bytes of JSON (counted as characters); Infinity is no limit. */
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

const defaults: StreamLimits = {
  firstEventMs: 120_000,
  idleMs: 60_000,
  totalMs: 15 * 60_000,
  resumeGraceMs: 10_000,
  frameBytes: 8 * 1024 * 1024,
  streamBytes: 32 * 1024 * 1024,
  ...defaultLogLimits,
  leaseMs: 10_000,
};

/** The environment variable of each limit. */
export const streamLimitVariables: Readonly<Record<keyof StreamLimits, string>> = {
  firstEventMs: 'VITRINE_FIRST_EVENT_MS',
  idleMs: 'VITRINE_IDLE_MS',
  totalMs: 'VITRINE_TOTAL_MS',
  resumeGraceMs: 'VITRINE_RESUME_GRACE_MS',
  frameBytes: 'VITRINE_FRAME_BYTES',
  streamBytes: 'VITRINE_STREAM_BYTES',
  finishedBytes: 'VITRINE_FINISHED_BYTES',
  finishedMs: 'VITRINE_FINISHED_MS',
  leaseMs: 'VITRINE_LEASE_MS',
};

const names = Object.keys(streamLimitVariables) as (keyof StreamLimits)[];

/** The limits with their defaults where none are given; times of Infinity do not run out. @throws AgentError `agent-invalid` for a limit that is no number from 0 on, and a lease of 0. */
export function streamLimits(given: Partial<StreamLimits> = {}): StreamLimits {
  const limits = names.map((name) => {
    const value: unknown = given[name] ?? defaults[name];
    // Without a lease every writer counts as dead from the start.
    const isEnough = typeof value === 'number' && (name === 'leaseMs' ? value > 0 : value >= 0);
    if (isEnough) return [name, name.endsWith('Ms') ? Math.min(value, longestTimerMs) : value] as const;
    throw new AgentError(
      'agent-invalid',
      `The limit ${name} (${streamLimitVariables[name]}) is ${String(value)}; give a number ${name === 'leaseMs' ? 'above 0' : 'from 0 on'}.`,
    );
  });
  return Object.fromEntries(limits) as StreamLimits;
}

/** The limits that the environment names. @throws AgentError `agent-invalid` for a variable that is no number. */
export function streamLimitsFromEnv(env: EnvRecord): Partial<StreamLimits> {
  return numbersFrom(env, streamLimitVariables);
}
