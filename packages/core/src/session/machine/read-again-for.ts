import type { SessionEffect } from './session-effect.ts';
import type { Conflict } from './session-model.ts';

/** Returns the effect that reads the stored session for a conflict. */
export function readAgainFor({ policy, forkId, run }: Conflict): SessionEffect {
  return { type: 'read-again', policy, forkId, isAborted: run?.phase === 'running' };
}
