export { createInferenceProxy } from './create-inference-proxy.ts';
export { hostsFromEnv } from './guard/hosts.ts';
export type { InferenceProxy, InferenceProxyOptions } from './inference-proxy.ts';
export type { ProxyLogEntry } from './log-entry.ts';
export type { EnvRecord } from './env-record.ts';
export { modelsFromEnv } from './providers/models-from-env.ts';
export { offlineModel, type OfflineModelOptions } from './providers/offline/offline-model.ts';
export type { ProxyModel } from './providers/proxy-model.ts';
export { serveInferenceProxy, type ServeOptions } from './serve-inference-proxy.ts';
export { memoryStreamLog } from './stream/memory-stream-log.ts';
export { type StreamLimits, streamLimitsFromEnv } from './stream/stream-limits.ts';
export type {
  AppendOptions,
  StreamEntry,
  StreamHead,
  StreamHint,
  StreamLog,
  StreamLogLimits,
  StreamPage,
} from './stream/stream-log.ts';
export type { StreamReport } from './stream/stream-report.ts';
