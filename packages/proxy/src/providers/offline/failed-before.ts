import type { InferenceRequest } from '@vitrine/core';

/** Conversations that are remembered; of more, the ones that failed first are forgotten. */
const most = 200;
/** Milliseconds after which nobody retries any more. */
const patienceMs = 120_000;

/**
 * Tells whether a request has failed and is asked again, once for each failure. It goes by what was said: requests do not
 * tell who sends them.
 */
export function failedBefore(now: () => number = Date.now): (request: InferenceRequest) => boolean {
  const failures = new Map<string, number>();
  return ({ messages }) => {
    const key = JSON.stringify(messages.map(({ role, parts }) => [role, parts]));
    const failedAt = failures.get(key);
    failures.delete(key);
    if (failedAt !== undefined && now() - failedAt < patienceMs) return true;
    failures.set(key, now());
    for (const oldest of failures.keys()) if (failures.size > most) failures.delete(oldest);
    return false;
  };
}
