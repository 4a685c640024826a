import type { ProxyLogEntry } from '../operator/log-entry.ts';
import { sessionProblems } from './session-problems.ts';

/** A log of refusals, except for sessions that do not exist: a client asks for a new session first. */
export function refusalsOnly(log: (entry: ProxyLogEntry) => void): (entry: ProxyLogEntry) => void {
  return (entry) => {
    if (entry.code !== null && entry.code !== sessionProblems.unknown.code) log(entry);
  };
}
