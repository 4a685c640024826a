import type { GuardOptions } from './guard/guard.ts';
import type { MetricsSource, ProxyLogEntry } from './operator/request-line.ts';
import type { ProxyModel } from './providers/proxy-model.ts';
import type { StreamLog } from './stream/stream-log.ts';
import type { StreamReport } from './stream/stream-report.ts';

/** Options of {@link createInferenceProxy}. Times are in milliseconds. */
export type InferenceProxyOptions = GuardOptions & {
  /** The models that clients may ask for. Default: those of the environment, which gives all absent options then. */
  models?: readonly ProxyModel[];
  /** Default: the first model. */
  defaultModel?: string;
  /** Called once for every request but probes. Default: one JSON line on standard error. */
  log?: (entry: ProxyLogEntry) => void;
  /** Metrics at `GET /metrics`: `proxyMetrics` of `@vitrine/proxy/metrics`. Default: none. */
  metrics?: MetricsSource;
  /**
   * The store of streams. Default: the memory of this process. With `redisStreamLog` of `@vitrine/proxy/redis` or
   * `postgresStreamLog` of `@vitrine/proxy/postgres` any process on the same log can resume a stream.
   */
  streamLog?: StreamLog;
  /** Called once for every model call with its usage and its end, also after its reader has left. */
  onStreamEnd?: (report: StreamReport) => void;
};

/** Options with models, from the application or the environment. */
export type SettledOptions = InferenceProxyOptions & { readonly models: readonly ProxyModel[] };

/** Options of closing a proxy. */
export type CloseOptions = {
  /** Milliseconds for streams to end by themselves; Infinity is no limit. Default: 10,000. */
  readonly graceMs?: number;
};

/** A web-standard proxy: serve it with any server that speaks Request and Response, under any path. */
export type InferenceProxy = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same proxy, which also answers to these hosts: for a server that knows its address. */
  readonly withHosts: (hosts: readonly string[]) => InferenceProxy;
  /**
   * Refuses new answers with 503 `shutting-down` and resolves when the running ones have ended. Answers that exceed the
   * grace time are ended with an event `stream-incomplete`. Streams stay readable.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
};
