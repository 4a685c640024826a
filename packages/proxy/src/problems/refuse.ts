import type { ProxyLogEntry } from '../log-entry.ts';
import { type Problem, problemResponse } from './problem.ts';

/** What is known of the request that failed; `startedAt` in milliseconds since the epoch, now by default. */
export type RequestFacts = {
  readonly startedAt?: number;
  readonly id?: string | null;
  readonly model?: string | null;
};

/** The answer that is a problem, after a line in the log. */
export type Refuse = (problem: Problem, about?: RequestFacts) => Response;

/** Refuses with a line in this log. */
export function refuseWith(log: (entry: ProxyLogEntry) => void): Refuse {
  return (problem, { startedAt = Date.now(), id = null, model = null } = {}) => {
    log({ id, code: problem.code, status: problem.status, model, ms: Date.now() - startedAt });
    return problemResponse(problem);
  };
}
