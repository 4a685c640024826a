import type { ProxyLogEntry } from '../operator/log-entry.ts';
import { sessionProblems } from './session-problems.ts';

/** A log of what was refused, but for sessions that are not there: whoever begins a new one asks for it first. */
export function refusalsOnly(log: (entry: ProxyLogEntry) => void): (entry: ProxyLogEntry) => void {
  return (entry) => {
    if (entry.code !== null && entry.code !== sessionProblems.unknown.code) log(entry);
  };
}
