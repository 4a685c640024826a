import type { Logger } from 'pino';
import type { ProxyLogEntry } from './request-line.ts';

/**
 * A `log` that writes with pino: `error` for failures that only the operator can fix, `warn` for other failures and
 * refusals, `info` for the rest. It needs the package `pino`.
 */
export function pinoLog(logger: Pick<Logger, 'error' | 'warn' | 'info'>): (entry: ProxyLogEntry) => void {
  return (entry) => {
    const { code, model } = entry;
    const what = [entry.route, entry.outcome, code, model].filter((word) => word !== null).join(' ');
    logger[levelOf(entry)](entry, what);
  };
}

/** Codes of failures that last until somebody changes the server. */
const lasting: readonly string[] = [
  'upstream-unauthorized',
  'upstream-quota-exhausted',
  'upstream-unknown-model',
];

function levelOf({ outcome, code, status }: ProxyLogEntry): 'error' | 'warn' | 'info' {
  if (status >= 500 || (code !== null && lasting.includes(code))) return 'error';
  return outcome === 'failed' || outcome === 'refused' ? 'warn' : 'info';
}
