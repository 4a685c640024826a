export { serveInferenceProxy, type InferenceServer, type ServeOptions } from './serve-inference-proxy.ts';
