import type { EnvRecord, InferenceProxyOptions } from '@vitrine/proxy';
import { proxyMetrics } from '@vitrine/proxy/metrics';
import { pinoLog } from '@vitrine/proxy/pino';
import { destination, pino } from 'pino';

/**
 * Options for operators: pino logs on standard error from `LOG_LEVEL` on (default: `info` in production,
 * otherwise `warn`), and metrics for holders of `METRICS_TOKEN` if it is set.
 */
export function operatorOptions(env: EnvRecord): Pick<InferenceProxyOptions, 'log' | 'metrics'> {
  const level = env['LOG_LEVEL'] || (env['NODE_ENV'] === 'production' ? 'info' : 'warn');
  const token = env['METRICS_TOKEN'];
  return {
    log: pinoLog(pino({ level }, destination({ fd: 2, sync: true }))),
    ...(token ? { metrics: proxyMetrics({ token }) } : {}),
  };
}
