import type { MiddlewareHandler } from 'hono';
import type { InferenceProxyOptions } from '../inference-proxy.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { isAuthorized } from './authorize.ts';
import { hostOf, isOwnHost } from './hosts.ts';
import { isForeignOrigin } from './origin.ts';

/** What a request brings along: the hosts that its proxy answers to, null for all. */
export type GuardEnv = { Bindings: { readonly allowedHosts: readonly string[] | null } };

/** Refuses what asks for another host, comes from another site, or is not let in. */
export function guard(
  { refuse }: ProxyContext,
  { allowedOrigins = [], authorize }: Pick<InferenceProxyOptions, 'allowedOrigins' | 'authorize'>,
): MiddlewareHandler<GuardEnv> {
  return async (context, next) => {
    const { allowedHosts } = context.env;
    const request = context.req.raw;
    if (allowedHosts !== null && !isOwnHost(request, allowedHosts))
      return refuse(problems.foreignHost(hostOf(request)));
    if (isForeignOrigin(request, allowedOrigins)) return refuse(problems.foreignOrigin);
    if (!(await isAuthorized(request, authorize))) return refuse(problems.unauthorized);
    return next();
  };
}
