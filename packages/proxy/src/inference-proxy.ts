import type { RequestLimits } from './guard/limits.ts';
import type { Authorize } from './guard/principal.ts';
import type { QuotaOptions } from './guard/quotas/quotas.ts';
import type { ResolveHost } from './guard/resolve-host.ts';
import type { ProxyLogEntry } from './log-entry.ts';
import type { ProxyModel } from './providers/proxy-model.ts';

/** What {@link createInferenceProxy} takes. Times are in milliseconds. */
export type InferenceProxyOptions = {
  /** What clients may ask for; nothing else is served. */
  models: readonly ProxyModel[];
  /** Default: the first model. */
  defaultModel?: string;
  /** What a request may be and ask for; see {@link RequestLimits} for defaults and variables. */
  limits?: Partial<RequestLimits>;
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
  /** Default: one JSON line on standard error. */
  log?: (entry: ProxyLogEntry) => void;
  /** Longest wait for the first event of an upstream. Default: 60 s. */
  firstEventTimeoutMs?: number;
  /** Longest wait between two events of an upstream. Default: 60 s. */
  eventTimeoutMs?: number;
  /** How long an inference goes on without a reader, so that a client may come back. Default: 0, it ends at once. */
  resumeGraceMs?: number;
  /** How long a finished stream can be read again. Default: 2 minutes. */
  keepFinishedMs?: number;
};

/** Web-standard: serve it with any server that speaks Request and Response, under any path. */
export type InferenceProxy = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same proxy, answering to these hosts too: for a server that knows where it listens. */
  readonly withHosts: (hosts: readonly string[]) => InferenceProxy;
};
