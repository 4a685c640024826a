import type { Handler } from 'hono';
import type { ProxyContext } from '../proxy-context.ts';

/** `GET /v1/models`: what clients may ask for, as `{ models: { id, name, provider, default }[] }`. */
export function getModels({ models, defaultModel }: ProxyContext): Handler {
  const list = models.map(({ id, name, provider }) => ({
    id,
    name,
    provider,
    default: id === defaultModel.id,
  }));
  return (context) => context.json({ models: list });
}
