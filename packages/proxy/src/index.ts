export {
  createInferenceProxy,
  type InferenceProxy,
  type InferenceProxyOptions,
} from './create-inference-proxy.ts';
export { hostsFromEnv } from './guard/hosts.ts';
export { type EnvRecord, modelsFromEnv } from './models/models-from-env.ts';
export type { ProxyLogEntry } from './protocol/log-entry.ts';
export type { ProxyModel } from './models/proxy-model.ts';
export { serveInferenceProxy, type ServeOptions } from './node/serve-inference-proxy.ts';
export { offlineModel, type OfflineModelOptions } from './offline-model/offline-model.ts';
