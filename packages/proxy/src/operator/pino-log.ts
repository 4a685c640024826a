import type { Logger } from 'pino';
import { levelOf, type ProxyLogEntry } from './request-line.ts';

/** A `log` that writes with pino: `error` for what only the operator can fix, `warn` for other failures, else `info`. */
export function pinoLog(logger: Pick<Logger, 'error' | 'warn' | 'info'>): (entry: ProxyLogEntry) => void {
  return (entry) => {
    const { code, model } = entry;
    const what = [entry.route, entry.outcome, code, model].filter((word) => word !== null).join(' ');
    logger[levelOf(entry)](entry, what);
  };
}
