import type { MiddlewareHandler } from 'hono';
import type { ProxyLogEntry } from './log-entry.ts';
import { openRequestLine, type RequestLine } from './request-line.ts';
import { routeName } from './route-name.ts';

/** Routes that machines poll; they are not logged. */
const quiet = /^\/(?:healthz|readyz|metrics)$/;

/** Gives every request its id and, except for probes, its one log line. */
export function recordRequests(
  log: (entry: ProxyLogEntry) => void,
): MiddlewareHandler<{ Variables: { readonly line: RequestLine } }> {
  return async (context, next) => {
    const { method, path } = context.req;
    const line = openRequestLine(routeName(method, path), quiet.test(path) ? () => undefined : log);
    context.set('line', line);
    await next();
    context.res.headers.set('x-request-id', line.requestId);
    line.answered(context.res.status);
  };
}
