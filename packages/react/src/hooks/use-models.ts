'use client';

import { AgentError, type AgentErrorCode, type ProxyInferenceOptions } from '@vitrine/core';
import { useQuery } from '@tanstack/react-query';

/** A model that the proxy serves to whoever asks. */
export type ServedModel = {
  /** `provider:model`, for `llmConfig.model`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly provider: string;
  /** The one that answers where no model is named. */
  readonly default: boolean;
  /** How much it can be told to think, for `settings.reasoning`; none when that cannot be chosen. */
  readonly reasoning: readonly string[];
};

/** Where the proxy is; as for `proxyInference`. `url` is `/api` unless it is given. */
export type UseModelsOptions = Partial<Pick<ProxyInferenceOptions, 'url' | 'headers' | 'fetch'>>;

/** The models, as far as they are known. */
export type UseModelsResult = {
  /** Undefined until they are there. */
  readonly data: readonly ServedModel[] | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** Asks again, e.g. after signing in. */
  readonly refetch: () => Promise<unknown>;
};

/** The models that the proxy serves (`GET …/v1/models`), asked once for a page; every component shares the answer. */
export function useModels({ url = '/api', headers, fetch }: UseModelsOptions = {}): UseModelsResult {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['vitrine', 'models', url],
    queryFn: ({ signal }) =>
      fetchModels({ url, ...(headers && { headers }), ...(fetch && { fetch }) }, signal),
    staleTime: Infinity,
  });
  return { data, error, isPending, refetch };
}

async function fetchModels(
  { url, headers, fetch: send = globalThis.fetch }: UseModelsOptions & { readonly url: string },
  signal: AbortSignal,
): Promise<readonly ServedModel[]> {
  const own = typeof headers === 'function' ? await headers() : headers;
  const response = await send(`${url.replace(/\/+$/, '')}/v1/models`, {
    signal,
    ...(own && { headers: own }),
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, body);
  const models = isRecord(body) ? body['models'] : null;
  if (!Array.isArray(models))
    throw new AgentError('stream-malformed', `There is no list of models at ${url}/v1/models: see the url.`);
  return models.flatMap(toModel);
}

function failureOf(status: number, body: unknown): AgentError {
  const { code, detail } = isRecord(body) ? body : {};
  return new AgentError(
    typeof code === 'string' && code !== '' ? (code as AgentErrorCode) : `http-${status}`,
    typeof detail === 'string'
      ? detail
      : `The server answered with status ${status} to who asked for its models.`,
  );
}

function toModel(entry: unknown): ServedModel[] {
  if (!isRecord(entry) || typeof entry['id'] !== 'string') return [];
  const { id, name, provider, reasoning } = entry;
  const levels = Array.isArray(reasoning) ? reasoning.filter((level) => typeof level === 'string') : [];
  return [
    {
      id,
      name: typeof name === 'string' ? name : id,
      provider: typeof provider === 'string' ? provider : '',
      default: entry['default'] === true,
      reasoning: levels,
    },
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
