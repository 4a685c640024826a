import type { Handler } from 'hono';

/** `GET /healthz`: that the proxy runs. It asks no provider. */
export function getHealth(): Handler {
  return (context) => context.json({ status: 'ok' });
}
