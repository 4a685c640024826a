import { AgentError } from '@vitrine/core';
import { longestTimerMs } from '../../longest-timer.ts';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';

/**
 * Counts points by key: any limiter of `rate-limiter-flexible`, e.g. `RateLimiterRedis` or `RateLimiterPostgres`, so that
 * several processes count together. What it rejects with says how long to wait, in milliseconds.
 */
export type Limiter = {
  readonly points: number;
  readonly consume: (key: string, points?: number) => Promise<{ readonly msBeforeNext: number }>;
  readonly penalty: (key: string, points?: number) => Promise<unknown>;
  readonly reward: (key: string, points?: number) => Promise<unknown>;
  readonly delete: (key: string) => Promise<unknown>;
};

/** So many points in so many seconds, 24.8 days at most, counted in the memory of this process; or a limiter that counts elsewhere. */
export type Quota = { readonly points: number; readonly seconds: number } | Limiter;

/** The limiter that a quota is. @throws AgentError `agent-invalid` when its figures are no numbers above 0, or memory cannot count for so long. */
export function toLimiter(quota: Quota, name: string): Limiter {
  if ('consume' in quota) return quota;
  const { points, seconds } = quota;
  if (!(points > 0 && seconds > 0)) {
    throw new AgentError(
      'agent-invalid',
      `quotas.${name} has ${points} points in ${seconds} seconds; give numbers above 0.`,
    );
  }
  // Its timer would fire at once, and nothing would ever be counted.
  if (seconds * 1000 > longestTimerMs) {
    throw new AgentError(
      'agent-invalid',
      `quotas.${name} counts for ${seconds} seconds; memory counts for ${Math.floor(longestTimerMs / 1000)} at most, which are 24.8 days. Give less, or a limiter of rate-limiter-flexible over Redis or PostgreSQL.`,
    );
  }
  return memoryLimiter(points, seconds);
}

/** Counts in the memory of this process; 0 seconds last for ever. */
export function memoryLimiter(points: number, seconds: number): Limiter {
  return new RateLimiterMemory({ points, duration: seconds });
}

/** How long a limiter that rejects asks to wait, in milliseconds; null when it failed instead of counting. */
export function waitOf(rejection: unknown): number | null {
  const isCount = typeof rejection === 'object' && rejection !== null && 'msBeforeNext' in rejection;
  return isCount && typeof rejection.msBeforeNext === 'number' ? Math.max(0, rejection.msBeforeNext) : null;
}
