import type { StreamLimits } from '../stream/stream-limits.ts';
import type { RequestLimits } from './limits.ts';
import type { Authorize } from './principal.ts';
import type { QuotaOptions } from './quotas/quotas.ts';
import type { ResolveHost } from './file-urls.ts';

/** Options that decide who may ask for what, and how much. */
export type GuardOptions = {
  /**
   * Limits of requests and streams. {@link RequestLimits} and {@link StreamLimits} list the defaults and the variables,
   * which {@link optionsFromEnv} reads.
   */
  limits?: Partial<RequestLimits & StreamLimits>;
  /** Quotas of a principal: requests, cost, concurrent answers. Default: unlimited. */
  quotas?: QuotaOptions;
  /**
   * Origins of other sites whose pages may use the proxy, exactly as browsers send them (`https://chat.example`).
   * Default: none; `ALLOWED_ORIGINS` with {@link optionsFromEnv}.
   */
  allowedOrigins?: readonly string[];
  /**
   * Hosts from which providers may fetch files (`files.example`, `files.example:8443`). Their addresses must be public.
   * Default: any host on the internet where names can be resolved, otherwise none; `ALLOWED_FILE_HOSTS` with {@link
   * optionsFromEnv}.
   */
  allowedFileHosts?: readonly string[];
  /**
   * Resolves the host names of files before providers fetch them; null trusts `allowedFileHosts` alone. Default: the
   * system's resolver, on Node.
   */
  resolveHost?: ResolveHost | null;
  /**
   * The names and addresses that this proxy answers to, besides those of this machine (`localhost`, `127.0.0.1`,
   * `[::1]`). `chat.example` stands for any port, `chat.example:8443` for that port. A request for another host is
   * refused, because a page of another site can point its own name here. Default: none, or any host with `authorize`;
   * `ALLOWED_HOSTS` with {@link optionsFromEnv}.
   */
  allowedHosts?: readonly string[];
  /**
   * Identifies the caller; ask your own sign-in here. Streams and quotas belong to the returned principal. When it
   * throws, nobody is let in. Default: everybody, as one principal.
   */
  authorize?: Authorize;
};
