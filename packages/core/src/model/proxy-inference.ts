import type { InferenceClient } from './inference-client.ts';
import type { ProxyInferenceOptions } from './proxy-client.ts';

export type { ProxyInferenceOptions } from './proxy-client.ts';

/**
 * Reads a model's answer from an inference proxy: `POST {url}/v1/inference`, answered as server-sent events. Every page
 * starts with this, so what does the work is loaded with the first call; when that cannot be fetched, the call fails as
 * one that does not reach the proxy does, and is tried again like it.
 */
export function proxyInference(options: ProxyInferenceOptions): InferenceClient {
  return {
    async *stream(request, { signal }) {
      const client = await import('./proxy-client.ts').catch(String);
      if (typeof client !== 'string') return yield* client.streamFromProxy(options, request, signal);
      const message = `The client of the inference proxy cannot be loaded: ${client}`;
      yield { type: 'error', code: 'proxy-unreachable', message, retryable: true, retryAfterMs: null };
    },
  };
}
