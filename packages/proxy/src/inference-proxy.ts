import type { ProxyLogEntry } from './log-entry.ts';
import type { ProxyModel } from './providers/proxy-model.ts';
import type { StreamLimits } from './stream/stream-limits.ts';
import type { StreamLog } from './stream/stream-log.ts';
import type { StreamReport } from './stream/stream-report.ts';

/** What {@link createInferenceProxy} takes. Times are in milliseconds. */
export type InferenceProxyOptions = {
  /** What clients may ask for; nothing else is served. */
  models: readonly ProxyModel[];
  /** Default: the first model. */
  defaultModel?: string;
  /** Default: 1 MiB. */
  maxBodyBytes?: number;
  /** Origins of other sites whose pages may use the proxy. Default: none. */
  allowedOrigins?: readonly string[];
  /**
   * The names and addresses that this proxy answers to, besides those of this machine (`localhost`, `127.0.0.1`,
   * `[::1]`): `chat.example` at any port, `chat.example:8443` at that one. A request for another host is refused,
   * because a page of another site can let its own name point here. Default: none, or any host with `authorize`.
   */
  allowedHosts?: readonly string[];
  /** Lets a request through, or not; ask your own sign-in here. Default: everybody. */
  authorize?: (request: Request) => boolean | Promise<boolean>;
  /** Default: one JSON line on standard error. */
  log?: (entry: ProxyLogEntry) => void;
  /** How much and how long streams may take; `streamLimitsFromEnv(process.env)` reads them from the environment. */
  limits?: Partial<StreamLimits>;
  /**
   * Where streams are kept. Default: the memory of this process. With `redisStreamLog` of `@vitrine/proxy/redis` or
   * `postgresStreamLog` of `@vitrine/proxy/postgres` any process on the same log can go on with a stream.
   */
  streamLog?: StreamLog;
  /** Told once for every model call what it used and how it ended, also when its reader had left. */
  onStreamEnd?: (report: StreamReport) => void;
};

/** Web-standard: serve it with any server that speaks Request and Response, under any path. */
export type InferenceProxy = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same proxy, answering to these hosts too: for a server that knows where it listens. */
  readonly withHosts: (hosts: readonly string[]) => InferenceProxy;
};
