import type { InferenceRequest } from '@vitrine/core';

/** The most remembered conversations; beyond it the oldest failures are forgotten. */
const most = 200;
/** The most characters that are kept of each conversation, from its end. */
const longestKey = 2_000;
/** Milliseconds after which a repeated request no longer counts as a retry. */
const patienceMs = 120_000;

/** Tells whether a request repeats one that ended with a simulated error. */
export type RetryCheck = (request: InferenceRequest) => boolean;

/** Creates a function that knows the retry of a failed request, once, by its messages: nothing names the sender. */
export function createRetryCheck(now: () => number = Date.now): RetryCheck {
  const failures = new Map<string, number>();
  return ({ messages }) => {
    const said = JSON.stringify(messages.map(({ role, parts }) => [role, parts]));
    const key = `${said.length}:${said.slice(-longestKey)}`;
    const failedAt = failures.get(key);
    failures.delete(key);
    if (failedAt !== undefined && now() - failedAt < patienceMs) return true;
    failures.set(key, now());
    for (const oldest of failures.keys()) if (failures.size > most) failures.delete(oldest);
    return false;
  };
}
