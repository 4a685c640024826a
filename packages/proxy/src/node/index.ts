export {
  serveInferenceProxy,
  type InferenceServer,
  type Servable,
  type ServeOptions,
} from './serve-inference-proxy.ts';
