import { variablesOf, wrongSetting } from '../kit/env-record.ts';
import { longestTimerMs } from '@vitrine/core/internal/kit/async';
import { defaultLogLimits } from './stream-log.ts';

/**
 * Limits of the size and time of streams. Times are in milliseconds, sizes in bytes of JSON (counted as characters);
 * Infinity is no limit.
 */
export type StreamLimits = {
  /** Longest wait for the first event of an upstream. Default: 2 minutes. `VITRINE_FIRST_EVENT_MS`. */
  readonly firstEventMs: number;
  /**
   * Longest wait for the first delta, call or file of a model that has a fallback. Default: 45 s.
   * `VITRINE_FIRST_TOKEN_MS`.
   */
  readonly firstTokenMs: number;
  /** Longest silence between two events of an upstream. Default: 1 minute. `VITRINE_IDLE_MS`. */
  readonly idleMs: number;
  /** Longest time from the question to the last event. Default: 15 minutes. `VITRINE_TOTAL_MS`. */
  readonly totalMs: number;
  /**
   * Time that an upstream continues without a reader, so that a locked phone or a lost network gets the whole answer.
   * Default: 2 minutes. `VITRINE_RESUME_GRACE_MS`.
   */
  readonly resumeGraceMs: number;
  /** The largest size of one event. Default: 8 MiB. `VITRINE_FRAME_BYTES`. */
  readonly frameBytes: number;
  /** The largest size of one stream. Default: 32 MiB. `VITRINE_STREAM_BYTES`. */
  readonly streamBytes: number;
  /**
   * The largest size of all running streams of a process; beyond it the longest is ended. Default: 256 MiB.
   * `VITRINE_RUNNING_BYTES`.
   */
  readonly runningBytes: number;
  /**
   * The most bytes that the requests of all principals hold at once, see `heldBytes`. Default: 256 MiB.
   * `VITRINE_ALL_HELD_BYTES`.
   */
  readonly allHeldBytes: number;
  /** The largest size of all finished streams in memory. Default: 64 MiB. `VITRINE_FINISHED_BYTES`. */
  readonly finishedBytes: number;
  /** Time that a finished stream in memory can be read again. Default: 10 minutes. `VITRINE_FINISHED_MS`. */
  readonly finishedMs: number;
  /** Silence after which other processes on the same log consider a process dead. Default: 10 s. `VITRINE_LEASE_MS`. */
  readonly leaseMs: number;
};

const defaults: StreamLimits = {
  firstEventMs: 120_000,
  firstTokenMs: 45_000,
  idleMs: 60_000,
  totalMs: 15 * 60_000,
  resumeGraceMs: 120_000,
  frameBytes: 8 * 1024 * 1024,
  streamBytes: 32 * 1024 * 1024,
  runningBytes: 256 * 1024 * 1024,
  allHeldBytes: 256 * 1024 * 1024,
  ...defaultLogLimits,
  leaseMs: 10_000,
};

export const streamLimitVariables: Readonly<Record<keyof StreamLimits, string>> = variablesOf(defaults);

const names = Object.keys(streamLimitVariables) as (keyof StreamLimits)[];

/** The limits with their defaults. @throws AgentError `agent-invalid` for no number from 0 on, and a lease of 0 */
export function streamLimits(given: Partial<StreamLimits> = {}): StreamLimits {
  const limits = names.map((name) => {
    const value: unknown = given[name] ?? defaults[name];
    // Without a lease every writer would count as dead from the start.
    const isEnough = typeof value === 'number' && (name === 'leaseMs' ? value > 0 : value >= 0);
    if (isEnough) return [name, name.endsWith('Ms') ? Math.min(value, longestTimerMs) : value] as const;
    throw wrongSetting(
      `The limit ${name} (${streamLimitVariables[name]}) is ${String(value)}; give a number ${name === 'leaseMs' ? 'above 0' : 'from 0 on'}.`,
    );
  });
  return Object.fromEntries(limits) as StreamLimits;
}
