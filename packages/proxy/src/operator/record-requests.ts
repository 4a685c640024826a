import type { MiddlewareHandler } from 'hono';
import type { ProxyLogEntry } from './log-entry.ts';
import { openRequestLine, type RequestLine } from './request-line.ts';

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

/** Method and pattern of a route for logs: one of few names, whatever was requested. */
export function routeName(method: string, route: string): string {
  const pattern = /^\/v1\/(?:inference|models|sessions)$/.exec(route)?.[0] ?? withId(route);
  const isKnown = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(method);
  return isKnown && pattern !== null ? `${method} ${pattern}` : 'other';
}

function withId(route: string): string | null {
  if (/^\/v1\/sessions\/files\/[0-9a-f]+$/.test(route)) return '/v1/sessions/files/:hash';
  const [, kind, part = ''] =
    /^\/v1\/(inference|sessions)\/[^/]+(\/(?:head|rows|records|files\/[^/]+))?$/.exec(route) ?? [];
  return kind === undefined ? null : `/v1/${kind}/:id${part.replace(/^\/files.*/, '/files/:hash')}`;
}
