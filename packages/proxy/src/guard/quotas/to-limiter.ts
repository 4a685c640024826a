import { AgentError } from '@vitrine/core';
import { longestTimerMs } from '../../kit/longest-timer.ts';
import type { Limiter, Quota } from './limiter.ts';
import { memoryLimiter } from './memory-limiter.ts';

/**
 * The limiter of a quota. @throws AgentError `agent-invalid` when its figures are no numbers above 0, or memory cannot
 * count for so long.
 */
export function toLimiter(quota: Quota, name: string): Limiter {
  if ('consume' in quota) return quota;
  const { points, seconds } = quota;
  if (!(points > 0 && seconds > 0)) {
    throw new AgentError(
      'agent-invalid',
      `quotas.${name} has ${points} points in ${seconds} seconds; give numbers above 0.`,
    );
  }
  // Its timer would fire at once, so the quota would not limit anything.
  if (seconds * 1000 > longestTimerMs) {
    throw new AgentError(
      'agent-invalid',
      `quotas.${name} counts for ${seconds} seconds; memory counts for at most ${Math.floor(longestTimerMs / 1000)} s (24.8 days). Give less, or a limiter of rate-limiter-flexible over Redis or PostgreSQL.`,
    );
  }
  return memoryLimiter(points, seconds);
}
