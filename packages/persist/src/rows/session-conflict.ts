import { AgentError } from '@vitrine/core/internal/kit/agent-error';

/** The number of attempts. Other writers may win between a read and a write. */
export const attempts = 64;

/** The version and the writer epoch that a write expects or that are stored. */
export type WriteGround = { readonly version: number; readonly epoch: number };

/** Creates the error of a write on a session that another writer changed or took over. */
export function conflict(id: string, expected: WriteGround, stored: WriteGround): AgentError {
  const message = `Session ${JSON.stringify(id)} ${reason(expected, stored)}. Load it again before you write.`;
  const data = {
    id,
    expectedVersion: expected.version,
    storedVersion: stored.version,
    epoch: expected.epoch,
    storedEpoch: stored.epoch,
  };
  return new AgentError('session-conflict', message, { data });
}

/** True when another writer has begun a run since, so this one must not write at any version. */
export function isStaleEpoch(expected: WriteGround, stored: WriteGround): boolean {
  return expected.epoch < stored.epoch;
}

function reason(expected: WriteGround, stored: WriteGround): string {
  if (isStaleEpoch(expected, stored))
    return `was taken over by another writer: epoch ${stored.epoch} is stored, the writer has ${expected.epoch}`;
  if (stored.version === 0) return `is no longer stored: version ${expected.version} was expected`;
  if (expected.version === stored.version)
    return `was changed by another writer: version ${stored.version} is stored with an unexpected journal`;
  return `was changed by another writer: version ${stored.version} is stored, ${expected.version} was expected`;
}
