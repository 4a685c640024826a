import type { Handler } from 'hono';

/** `GET /healthz`: reports that the proxy runs, without asking a provider. */
export function getHealth(): Handler {
  return (context) => context.json({ status: 'ok' });
}
