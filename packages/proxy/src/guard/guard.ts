import type { MiddlewareHandler } from 'hono';
import { problems } from '../problems/problems.ts';
import type { Refuse } from '../problems/refuse.ts';
import { hostOf, isOwnHost } from './hosts.ts';
import { isForeignOrigin } from './origin.ts';
import type { Principal } from './principal.ts';

/** What a request brings along: the hosts that its proxy answers to, null for all; and who asks, once that is known. */
export type GuardEnv = {
  Bindings: { readonly allowedHosts: readonly string[] | null };
  Variables: { readonly principal: Principal };
};

/** Refuses what asks for another host or comes from another site. */
export function guard(refuse: Refuse, allowedOrigins: readonly string[]): MiddlewareHandler<GuardEnv> {
  return async (context, next) => {
    const { allowedHosts } = context.env;
    const request = context.req.raw;
    if (allowedHosts !== null && !isOwnHost(request, allowedHosts))
      return refuse(problems.foreignHost(hostOf(request)));
    if (isForeignOrigin(request, allowedOrigins)) return refuse(problems.foreignOrigin);
    return next();
  };
}
