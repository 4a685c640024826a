import type { MiddlewareHandler } from 'hono';

/** Keeps answers private: forbids caching, content sniffing and referrers. */
export function noTraces(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    // The headers are set in place, because `context.header` copies the whole answer each time.
    const { headers } = context.res;
    // Streams forbid transformations as well.
    if (!headers.get('cache-control')?.startsWith('no-store')) headers.set('cache-control', 'no-store');
    headers.set('x-content-type-options', 'nosniff');
    headers.set('referrer-policy', 'no-referrer');
  };
}
