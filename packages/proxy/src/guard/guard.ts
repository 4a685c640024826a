import type { MiddlewareHandler } from 'hono';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/refuse.ts';
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
