export { serveFromEnv } from './serve-from-env.ts';
export { requestListener } from './request-listener.ts';
export {
  serveInferenceProxy,
  type InferenceServer,
  type Servable,
  type ServeOptions,
} from './serve-inference-proxy.ts';
