import type { MiddlewareHandler } from 'hono';
import { cors as honoCors } from 'hono/cors';

/**
 * Lets pages of exactly these origins read the answers with cookies, and answers preflight requests. Any header is
 * allowed, because a page of an allowed origin is trusted.
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
