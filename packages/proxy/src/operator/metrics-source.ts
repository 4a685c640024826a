import type { ProxyLogEntry } from './log-entry.ts';

/** Figures about a proxy for who scrapes them: what `proxyMetrics` of `@vitrine/proxy/metrics` gives. */
export type MetricsSource = {
  /** Counts a request. */
  readonly count: (entry: ProxyLogEntry) => void;
  /** Is told once how to find out how many streams are open. */
  readonly watch: (openStreams: () => number) => void;
  /** All figures; null for whoever may not see them. */
  readonly answer: (request: Request) => Promise<Response | null>;
};
