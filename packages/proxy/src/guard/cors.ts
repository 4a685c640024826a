import type { MiddlewareHandler } from 'hono';
import { cors as honoCors } from 'hono/cors';

/**
 * Lets pages of exactly these origins read the answers, with their cookies, and answers what browsers ask beforehand.
 * Which headers such a page sends is its own affair: who may use the proxy is trusted with that.
 */
export function cors(
  allowedOrigins: readonly string[],
  { methods, headers }: { readonly methods: readonly string[]; readonly headers: readonly string[] },
): MiddlewareHandler {
  return honoCors({
    origin: (origin) => (allowedOrigins.includes(origin) ? origin : null),
    allowMethods: [...methods],
    exposeHeaders: ['x-request-id', 'retry-after', 'retry-after-ms', ...headers],
    credentials: true,
    maxAge: 600,
  });
}
