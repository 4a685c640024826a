import type { ProxyLogEntry } from './log-entry.ts';

/** Metrics of a proxy for a scraper, as `proxyMetrics` of `@vitrine/proxy/metrics` provides them. */
export type MetricsSource = {
  /** Counts a request. */
  readonly count: (entry: ProxyLogEntry) => void;
  /** Receives, once, the function that counts the open streams. */
  readonly watch: (openStreams: () => number) => void;
  /** The answer with all metrics; null for a caller without access. */
  readonly answer: (request: Request) => Promise<Response | null>;
};
