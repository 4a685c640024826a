import type { MiddlewareHandler } from 'hono';

/**
 * Keeps other sites from embedding answers: whether a picture, a script or a request without CORS arrives would tell
 * them whether the person at the browser has a file that they know. Requests with CORS are not concerned.
 */
export function unembeddable(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    context.header('cross-origin-resource-policy', 'same-origin');
  };
}
