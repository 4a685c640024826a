'use client';

import { AgentError, type AgentErrorCode, type ModelPrice } from '@vitrine/core';
import { checkedPrice } from '@vitrine/core/internal/graph/llm-config';
import { isPlainObject as isRecord } from '@vitrine/core/internal/kit/json';
import type { ProxyInferenceOptions } from '@vitrine/core/types';
import { useQuery } from '@tanstack/react-query';
import { useQueries } from './use-queries.ts';

/** A model that the proxy serves to this caller. */
export type ServedModel = {
  /** The id in the form `provider:model`, for `llmConfig.model`. */
  readonly id: string;
  /** The display name. */
  readonly name: string;
  readonly provider: string;
  /** True for the model that the proxy uses when a request names none. */
  readonly default: boolean;
  /** The reasoning levels for `settings.reasoning`; empty if they cannot be chosen. */
  readonly reasoning: readonly string[];
  /** Media types of the files that it takes, such as `image/png` and `text/*`; null if the proxy does not know them. */
  readonly accepts: readonly string[] | null;
  /** US dollars per million tokens; null if the proxy does not know it. */
  readonly price: ModelPrice | null;
};

/** The address of the proxy, as for `proxyInference`. Default of `url`: `/api`. */
type UseModelsOptions = Partial<Pick<ProxyInferenceOptions, 'url' | 'headers' | 'fetch'>>;

type UseModelsResult = {
  /** Undefined until the models have loaded. */
  readonly data: readonly ServedModel[] | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** Requests the models again, e.g. after signing in. */
  readonly refetch: () => Promise<unknown>;
};

/**
 * Returns the models that the proxy serves (`GET …/v1/models`). They are requested once for a page and
 * shared by all components.
 */
export function useModels({ url = '/api', headers, fetch }: UseModelsOptions = {}): UseModelsResult {
  const client = useQueries();
  const { data, error, isPending, refetch } = useQuery(
    {
      queryKey: ['vitrine', 'models', url],
      queryFn: ({ signal }) =>
        fetchModels({ url, ...(headers && { headers }), ...(fetch && { fetch }) }, signal),
      staleTime: Infinity,
    },
    client,
  );
  return { data, error, isPending, refetch };
}

async function fetchModels(
  { url, headers, fetch: send = globalThis.fetch }: UseModelsOptions & { readonly url: string },
  signal: AbortSignal,
): Promise<readonly ServedModel[]> {
  const own = typeof headers === 'function' ? await headers() : headers;
  let base = url;
  while (base.endsWith('/')) base = base.slice(0, -1);
  const response = await send(`${base}/v1/models`, { signal, ...(own && { headers: own }) });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, body);
  const models = isRecord(body) ? body['models'] : null;
  if (!Array.isArray(models))
    throw new AgentError(
      'stream-malformed',
      `${url}/v1/models returned no list of models. Is the proxy mounted there? Set useModels({ url }) to its address.`,
    );
  return models.flatMap(toModel);
}

function failureOf(status: number, body: unknown): AgentError {
  const { code, detail } = isRecord(body) ? body : {};
  return new AgentError(
    typeof code === 'string' && code !== '' ? (code as AgentErrorCode) : `http-${status}`,
    typeof detail === 'string' ? detail : `The request for the list of models failed with status ${status}.`,
  );
}

function toModel(entry: unknown): ServedModel[] {
  if (!isRecord(entry) || typeof entry['id'] !== 'string') return [];
  const { id, name, provider, reasoning, accepts, price } = entry;
  const levels = Array.isArray(reasoning) ? reasoning.filter((level) => typeof level === 'string') : [];
  return [
    {
      id,
      name: typeof name === 'string' ? name : id,
      provider: typeof provider === 'string' ? provider : '',
      default: entry['default'] === true,
      reasoning: levels,
      accepts: Array.isArray(accepts) ? accepts.filter((type) => typeof type === 'string') : null,
      price: checkedPrice(price),
    },
  ];
}
