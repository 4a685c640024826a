import type { MiddlewareHandler } from 'hono';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/problem.ts';
import { hostOf, isOwnHost } from './hosts.ts';
import { isForeignOrigin } from './origin.ts';
import type { RequestLine } from '../operator/request-line.ts';
import type { Principal } from './principal.ts';

/**
 * Data that a request carries through the routes: the allowed hosts (null for all), its line in the log, and the
 * principal once it is known.
 */
export type GuardEnv = {
  Bindings: { readonly allowedHosts: readonly string[] | null };
  Variables: { readonly line: RequestLine; readonly principal: Principal };
};

/** Refuses requests for another host and requests from another site. */
export function guard(allowedOrigins: readonly string[]): MiddlewareHandler<GuardEnv> {
  return async (context, next) => {
    const { allowedHosts } = context.env;
    const request = context.req.raw;
    if (allowedHosts !== null && !isOwnHost(request, allowedHosts))
      return refuse(context, problems.foreignHost(hostOf(request)));
    if (isForeignOrigin(request, allowedOrigins)) return refuse(context, problems.foreignOrigin);
    return next();
  };
}

/** Keeps answers private: forbids caching, content sniffing and referrers. */
export function noTraces(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    // The headers are set in place, because `context.header` copies the whole answer each time.
    const { headers } = context.res;
    // Streams forbid transformations as well.
    if (!headers.get('cache-control')?.startsWith('no-store')) headers.set('cache-control', 'no-store');
    headers.set('x-content-type-options', 'nosniff');
    headers.set('referrer-policy', 'no-referrer');
  };
}
