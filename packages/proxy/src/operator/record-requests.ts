import type { MiddlewareHandler } from 'hono';
import type { ProxyLogEntry } from './log-entry.ts';
import { openRequestLine, type RequestLine } from './request-line.ts';
import { routeName } from './route-name.ts';

/** What machines ask all the time, and nobody wants to read about. */
const quiet = /^\/(?:healthz|readyz|metrics)$/;

/** Gives every request its id and, but for probes, its one line in the log. */
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
