import type { MiddlewareHandler } from 'hono';

/** Answers are for whoever asked: no cache keeps them, no browser guesses what they are or tells others of them. */
export function noTraces(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    // Streams say more: nothing in between may change them.
    if (!context.res.headers.get('cache-control')?.startsWith('no-store'))
      context.header('cache-control', 'no-store');
    context.header('x-content-type-options', 'nosniff');
    context.header('referrer-policy', 'no-referrer');
  };
}
