import type { MiddlewareHandler } from 'hono';

/** Answers are for whoever asked: no cache keeps them, no browser guesses what they are or tells others of them. */
export function noTraces(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    // Set in place: `context.header` copies the whole answer for each of them.
    const { headers } = context.res;
    // Streams say more: nothing in between may change them.
    if (!headers.get('cache-control')?.startsWith('no-store')) headers.set('cache-control', 'no-store');
    headers.set('x-content-type-options', 'nosniff');
    headers.set('referrer-policy', 'no-referrer');
  };
}
