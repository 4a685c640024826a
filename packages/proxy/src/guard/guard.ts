import type { MiddlewareHandler } from 'hono';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/refuse.ts';
import { hostOf, isOwnHost } from './hosts.ts';
import { isForeignOrigin } from './origin.ts';
import type { RequestLine } from '../operator/request-line.ts';
import type { Principal } from './principal.ts';

/**
 * What a request brings along: the hosts that its proxy answers to, null for all; its line in the log; and who asks, once
 * that is known.
 */
export type GuardEnv = {
  Bindings: { readonly allowedHosts: readonly string[] | null };
  Variables: { readonly line: RequestLine; readonly principal: Principal };
};

/** Refuses what asks for another host or comes from another site. */
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
