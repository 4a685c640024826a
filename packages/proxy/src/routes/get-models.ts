import type { Handler } from 'hono';
import { type GuardEnv, modelsOf } from '../guard/guard.ts';
import type { ProxyContext } from './proxy-context.ts';

/**
 * `GET /v1/models`: the models that the caller may use, as `{ models: { id, name, provider, default, reasoning?, accepts?,
 * price? }[] }`; `reasoning` lists the levels of a model that supports them, `accepts` the media types of the files that
 * it takes, and `price` is per million tokens.
 */
export function getModels(proxy: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    const { models, defaultModel } = modelsOf(context.get('principal'), await proxy.catalog());
    const list = models.map(async ({ id, name, provider, client, reasoning, price, accepts }) => {
      const types = accepts ?? (await client.accepts?.(id));
      return {
        id,
        name,
        provider,
        default: id === defaultModel?.id,
        ...(reasoning ? { reasoning } : {}),
        ...(types ? { accepts: types } : {}),
        ...(price ? { price } : {}),
      };
    });
    return context.json({ models: await Promise.all(list) });
  };
}
