/**
 * The route of sessions that a path names by its end, so that they may be mounted under any path: `/api/v1/sessions/a`
 * and `/v1/sessions/a` are the same. Any other path is given back as it is.
 */
export function sessionRoute(path: string): string {
  return routes.exec(path)?.[0] ?? path;
}

/** The list; a file; a session, and what there is of it. */
const routes =
  /\/v1\/sessions(?:\/files\/[0-9a-f]+|\/[^/]+(?:\/(?:head|rows|records|files\/[^/]+))?)?(?=\/?$)/;
