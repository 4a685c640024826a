import type { InferenceClient } from './inference-client.ts';
import type { ProxyInferenceOptions } from './proxy-inference-options.ts';
import { proxyInferenceStream } from './proxy-inference-stream.ts';

/** Reads a model's answer from an inference proxy: `POST {url}/v1/inference`, answered as server-sent events. */
export function proxyInference(options: ProxyInferenceOptions): InferenceClient {
  return { stream: (request, call) => proxyInferenceStream(options, request, call) };
}
