import type { StreamLimits } from '../stream/stream-limits.ts';
import { type RequestLimits, withLimits } from './limits.ts';
import type { QuotaOptions } from './quotas.ts';
import type { ResolveHost } from './file-urls.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';
import type { MiddlewareHandler } from 'hono';
import { problems, refuse } from './problems.ts';
import { hostOf, isOwnHost } from './hosts.ts';
import { isForeignOrigin } from './origin.ts';
import type { RequestLine } from '../operator/request-line.ts';

/** Options that decide who may ask for what, and how much. */
export type GuardOptions = {
  /**
   * Limits of requests and streams, with defaults and variables as {@link RequestLimits} and {@link StreamLimits} say.
   */
  limits?: Partial<RequestLimits & StreamLimits>;
  /** Quotas of a principal: requests, cost, concurrent answers. Default: unlimited. */
  quotas?: QuotaOptions;
  /** Origins of other sites whose pages may use the proxy, as browsers send them. Default: none; `ALLOWED_ORIGINS`. */
  allowedOrigins?: readonly string[];
  /**
   * Hosts from which providers may fetch files (`files.example`, `files.example:8443`). Their addresses must be public.
   * Default: any host on the internet where names can be resolved, otherwise none; `ALLOWED_FILE_HOSTS` with {@link
   * optionsFromEnv}.
   */
  allowedFileHosts?: readonly string[];
  /** Resolves the hosts of files; null trusts `allowedFileHosts` alone. Default: the system's resolver, on Node. */
  resolveHost?: ResolveHost | null;
  /**
   * The names and addresses that this proxy answers to, besides those of this machine (`localhost`, `127.0.0.1`,
   * `[::1]`). `chat.example` stands for any port, `chat.example:8443` for that port. A request for another host is
   * refused, because a page of another site can point its own name here. Default: none, or any host with `authorize`;
   * `ALLOWED_HOSTS` with {@link optionsFromEnv}.
   */
  allowedHosts?: readonly string[];
  /** Identifies the caller, who owns streams and quotas. One that throws lets nobody in. Default: everybody, as one. */
  authorize?: Authorize;
};

/** The caller that `authorize` finds for a request. */
export type Principal = {
  /** The owner of streams and quotas; the same for every request of one person. It is never shown to others. */
  readonly id: string;
  /** Ids of the models that this principal may use. Default: all that the proxy serves. */
  readonly models?: readonly string[];
  /** Limits that differ from those of the proxy. */
  readonly limits?: Partial<RequestLimits>;
};

/** Asks the application's own sign-in; null lets nobody in. */
export type Authorize = (request: Request) => Principal | null | Promise<Principal | null>;

/** The principal of all callers when no sign-in is configured. They share streams and quotas. */
export const anyone: Principal = { id: 'anyone' };

export type Catalog = { readonly models: readonly ProxyModel[]; readonly defaultModel: ProxyModel };

/** The models that a principal may use. The default is the proxy's default, if allowed, otherwise the first of them. */
export function modelsOf(
  principal: Principal,
  { models, defaultModel }: Catalog,
): { readonly models: readonly ProxyModel[]; readonly defaultModel: ProxyModel | undefined } {
  const own = principal.models;
  if (own === undefined) return { models, defaultModel };
  const allowed = models.filter(({ id }) => own.includes(id));
  return { models: allowed, defaultModel: allowed.includes(defaultModel) ? defaultModel : allowed[0] };
}

/** Data of a request: its allowed hosts (null for all), its line in the log, and its principal once it is known. */
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
export const noTraces: MiddlewareHandler = async (context, next) => {
  await next();
  // The headers are set in place, because `context.header` copies the whole answer each time.
  const { headers } = context.res;
  // Streams have a rule of their own.
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
};

/** Identifies the principal, or answers 401. A sign-in that throws or returns no principal lets nobody in. */
export function authenticate(authorize: Authorize = () => anyone): MiddlewareHandler<GuardEnv> {
  return async (context, next) => {
    let principal: Principal | null;
    try {
      principal = await authorize(context.req.raw);
    } catch {
      // The error may contain the token, so it is not reported.
      return refuse(context, problems.authorizeFailed);
    }
    if (principal === null) return refuse(context, problems.unauthorized);
    if (!isPrincipal(principal)) return refuse(context, problems.authorizeInvalid);
    context.set('principal', principal);
    context.get('line').note({ principal: principal.id });
    return next();
  };
}

function isPrincipal(value: unknown): value is Principal {
  if (typeof value !== 'object' || value === null) return false;
  const { id, models, limits } = value as Record<keyof Principal, unknown>;
  if (typeof id !== 'string' || id === '' || (models !== undefined && !Array.isArray(models))) return false;
  try {
    return limits !== null && withLimits(limits) !== null;
  } catch {
    return false;
  }
}
