export { proxyMetrics, type ProxyMetricsOptions } from './proxy-metrics.ts';
