import { type InferenceClient, type InferenceEvent } from '@vitrine/core';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { InferenceProxy, InferenceProxyOptions } from '../inference-proxy.ts';
import { modelsFromEnv } from '../providers/models-from-env.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

/** The number of runs: few in `npm test`, as many as the variable says in `npm run prove -- proxy`. */
export const proveRuns = (few: number, variable = 'PROVE_RUNS'): number =>
  Number(process.env[variable] ?? few);

/** A proxy whose only model is this client; it logs nothing. */
export function proxyOf(
  client: InferenceClient,
  options: Partial<InferenceProxyOptions> = {},
): InferenceProxy {
  const models = [{ id: 'p:m', name: 'm', provider: 'p', client }];
  return createInferenceProxy({ models, log: () => undefined, ...options });
}

/** The client of a model at this address, as a server is configured for it. */
export function clientOf(baseURL: string, apiKey = 'k'): InferenceClient {
  const env = {
    OPENAI_COMPATIBLE_BASE_URL: baseURL,
    OPENAI_COMPATIBLE_API_KEY: apiKey,
    VITRINE_MODELS: 'openai-compatible:llama3.3',
  };
  const [model] = modelsFromEnv(env);
  if (model === undefined) throw new Error('There is no model.');
  return model.client;
}

export const post = (headers: Record<string, string> = {}, signal?: AbortSignal): Request =>
  new Request('http://localhost/v1/inference', {
    method: 'POST',
    body: JSON.stringify(request),
    headers: { 'content-type': 'application/json', ...headers },
    ...(signal ? { signal } : {}),
  });

export const at = (id: string | null, init: RequestInit = {}): Request =>
  new Request(`http://localhost/v1/inference/${id}`, init);

/** The events of an answer as they were sent, without pings. */
export async function textOf(response: Response): Promise<string> {
  return (await response.text()).replaceAll(': ping\n\n', '');
}

/** The events in the text of an answer. */
export function eventsOf(text: string): InferenceEvent[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as InferenceEvent);
}

/** A client that the test controls, one event at a time. */
export function puppet(): InferenceClient & {
  readonly say: (event: InferenceEvent) => void;
  readonly calls: () => number;
  readonly open: () => number;
} {
  const told: InferenceEvent[] = [];
  const waiting = new Set<() => void>();
  let calls = 0;
  let open = 0;
  return {
    say(event) {
      told.push(event);
      for (const wake of waiting) wake();
      waiting.clear();
    },
    calls: () => calls,
    open: () => open,
    async *stream(_request, { signal }) {
      calls++;
      open++;
      try {
        for (let next = 0; ; next++) {
          while (told[next] === undefined) {
            await new Promise<void>((resolve) => {
              waiting.add(resolve);
              signal.addEventListener('abort', () => resolve(), { once: true });
            });
            if (signal.aborted) return;
          }
          yield told[next] as InferenceEvent;
        }
      } finally {
        open--;
      }
    },
  };
}

export const delta = (text: string): InferenceEvent => ({ type: 'text-delta', delta: text });
