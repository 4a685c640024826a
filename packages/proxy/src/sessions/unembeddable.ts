import type { MiddlewareHandler } from 'hono';

/**
 * Keeps other sites from embedding answers. The arrival of a picture, a script or a request without CORS would tell
 * them whether the user has a file that they know. Requests with CORS are not affected.
 */
export function unembeddable(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    context.header('cross-origin-resource-policy', 'same-origin');
  };
}
