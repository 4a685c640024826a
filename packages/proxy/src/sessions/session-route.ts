/**
 * The session route that a path names by its end, so that the routes may be mounted under any path:
 * `/api/v1/sessions/a` and `/v1/sessions/a` are the same. Any other path is returned unchanged.
 */
export function sessionRoute(path: string): string {
  return routes.exec(path)?.[0] ?? /\/(?:healthz|readyz)(?=\/?$)/.exec(path)?.[0] ?? path;
}

/** The list, a file, and a session with its parts. */
const routes =
  /\/v1\/sessions(?:\/files\/[0-9a-f]+|\/[^/]+(?:\/(?:head|rows|records|files\/[^/]+))?)?(?=\/?$)/;
