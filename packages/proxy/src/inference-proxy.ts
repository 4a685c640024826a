import type { GuardOptions } from './guard/guard-options.ts';
import type { ProxyLogEntry } from './operator/log-entry.ts';
import type { MetricsSource } from './operator/metrics-source.ts';
import type { ProxyModel } from './providers/proxy-model.ts';
import type { StreamLog } from './stream/stream-log.ts';
import type { StreamReport } from './stream/stream-report.ts';

/** What {@link createInferenceProxy} takes. Times are in milliseconds. */
export type InferenceProxyOptions = GuardOptions & {
  /** What clients may ask for; nothing else is served. */
  models: readonly ProxyModel[];
  /** Default: the first model. */
  defaultModel?: string;
  /** Told of every request but probes, once. Default: one JSON line on standard error. */
  log?: (entry: ProxyLogEntry) => void;
  /** Figures at `GET /metrics`: `proxyMetrics` of `@vitrine/proxy/metrics`. Default: none. */
  metrics?: MetricsSource;
  /**
   * Where streams are kept. Default: the memory of this process. With `redisStreamLog` of `@vitrine/proxy/redis` or
   * `postgresStreamLog` of `@vitrine/proxy/postgres` any process on the same log can go on with a stream.
   */
  streamLog?: StreamLog;
  /** Told once for every model call what it used and how it ended, also when its reader had left. */
  onStreamEnd?: (report: StreamReport) => void;
};

/** How a proxy is closed. */
export type CloseOptions = {
  /** How long streams may take to end by themselves, in milliseconds; Infinity is no limit. Default: 10,000. */
  readonly graceMs?: number;
};

/** Web-standard: serve it with any server that speaks Request and Response, under any path. */
export type InferenceProxy = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same proxy, answering to these hosts too: for a server that knows where it listens. */
  readonly withHosts: (hosts: readonly string[]) => InferenceProxy;
  /**
   * Begins no more answers, which are refused with 503 `shutting-down`, and resolves when those that run have ended; what
   * takes longer than the grace time is ended, with an event `stream-incomplete`. Streams can still be read after it.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
};
