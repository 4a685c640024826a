import type { StreamLimits } from '../stream/stream-limits.ts';
import type { RequestLimits } from './limits.ts';
import type { Authorize } from './principal.ts';
import type { QuotaOptions } from './quotas/quotas.ts';
import type { ResolveHost } from './resolve-host.ts';

/** Who may ask for what, and how much of it. */
export type GuardOptions = {
  /**
   * What a request may be and ask for, and how much and how long its stream may take; see {@link RequestLimits} and
   * {@link StreamLimits} for defaults and variables, which {@link optionsFromEnv} reads.
   */
  limits?: Partial<RequestLimits & StreamLimits>;
  /** What a principal may use: requests, cost, answers at once. Default: unlimited. */
  quotas?: QuotaOptions;
  /**
   * Origins of other sites whose pages may use the proxy, exactly as browsers name them (`https://chat.example`).
   * Default: none; `ALLOWED_ORIGINS` with {@link optionsFromEnv}.
   */
  allowedOrigins?: readonly string[];
  /**
   * Hosts that providers may be sent to for files (`files.example`, `files.example:8443`), which have to lie on the
   * internet. Default: any host on the internet where names can be looked up, else none; `ALLOWED_FILE_HOSTS` with
   * {@link optionsFromEnv}.
   */
  allowedFileHosts?: readonly string[];
  /** Looks names up before files are fetched from them; null trusts `allowedFileHosts` alone. Default: the system, on Node. */
  resolveHost?: ResolveHost | null;
  /**
   * The names and addresses that this proxy answers to, besides those of this machine (`localhost`, `127.0.0.1`,
   * `[::1]`): `chat.example` at any port, `chat.example:8443` at that one. A request for another host is refused,
   * because a page of another site can let its own name point here. Default: none, or any host with `authorize`;
   * `ALLOWED_HOSTS` with {@link optionsFromEnv}.
   */
  allowedHosts?: readonly string[];
  /**
   * Says who asks; ask your own sign-in here. Streams and quotas belong to that principal. When it throws, nobody is let
   * in. Default: everybody, as one principal.
   */
  authorize?: Authorize;
};
