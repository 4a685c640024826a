import type { InferenceClient, InferenceEvent } from './inference-client.ts';
import type { ProxyInferenceOptions } from './proxy-inference-options.ts';

/** Kept: what bundlers make of `import()` looks for what is to be preloaded whenever it is called, which takes as long as a step. */
let client: Promise<typeof import('./proxy-inference-stream.ts')> | null = null;

/**
 * Reads a model's answer from an inference proxy: `POST {url}/v1/inference`, answered as server-sent events. Every page
 * starts with this, so what does the work is loaded with the first call; when that cannot be fetched, the call fails as
 * one that does not reach the proxy does, and is tried again like it.
 */
export function proxyInference(options: ProxyInferenceOptions): InferenceClient {
  return {
    stream: (request, call) => ({
      [Symbol.asyncIterator]() {
        let events: AsyncIterator<InferenceEvent> | null = null;
        const opening = (client ??= import('./proxy-inference-stream.ts')).then(
          ({ proxyInferenceStream }) => proxyInferenceStream(options, request, call),
          (error: unknown) => {
            client = null;
            return cannotBeLoaded(String(error));
          },
        );
        return {
          // By hand: a generator around another makes every event of an answer wait for both.
          next: () => events?.next() ?? opening.then((opened) => (events = opened).next()),
          return: () => opening.then((opened) => opened.return(undefined)),
        };
      },
    }),
  };
}

async function* cannotBeLoaded(why: string): AsyncGenerator<InferenceEvent> {
  const message = `The client of the inference proxy cannot be loaded: ${why}`;
  yield { type: 'error', code: 'proxy-unreachable', message, retryable: true, retryAfterMs: null };
}
