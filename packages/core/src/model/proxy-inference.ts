import type { InferenceClient, InferenceEvent } from './inference-client.ts';
import type { ListedModel } from './proxy-inference-call.ts';
import type { ProxyInferenceOptions } from './proxy-inference-options.ts';
import { loadOnce } from '../kit/memoize.ts';

/** Cached, because the preload code that bundlers add to `import()` takes as long as a step at every call. */
const load = /* @__PURE__ */ loadOnce(() => import('./proxy-inference-stream.ts'));

/**
 * Creates a client that reads answers from an inference proxy: `POST {url}/v1/inference`, answered as server-sent
 * events. Every page loads this file, so the client's code is loaded with the first call. When it cannot be loaded,
 * the call fails and is retried like one of an unreachable proxy.
 */
export function proxyInference(options: ProxyInferenceOptions): InferenceClient {
  const list = loadOnce(() => load().then(({ listedModels }) => listedModels(options)));
  const findListed = async (model: string | null): Promise<ListedModel | undefined> => {
    const wanted = model ?? options.model ?? null;
    return (await list()).find(({ id, isDefault }) => (wanted === null ? isDefault : id === wanted));
  };
  return {
    continuesAnswers: true,
    async otherModels(model) {
      const own = await findListed(model);
      return (await list()).flatMap(({ id }) => (id === own?.id ? [] : [String(id)]));
    },
    price: async (model) => (await findListed(model))?.price ?? null,
    accepts: async (model) => (await findListed(model))?.accepts ?? null,
    stream: (request, call) => ({
      [Symbol.asyncIterator]() {
        let events: AsyncIterator<InferenceEvent> | null = null;
        const opening = load().then(
          ({ proxyInferenceStream }) => proxyInferenceStream(options, request, call),
          (error: unknown) => cannotBeLoaded(String(error)),
        );
        return {
          // By hand, because every event would wait for both generators if one wrapped the other.
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
