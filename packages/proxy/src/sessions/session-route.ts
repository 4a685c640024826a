/**
 * The route of sessions that a path names by its end, so that they may be mounted under any path: `/api/v1/sessions/a`
 * and `/v1/sessions/a` are the same. Any other path is given back as it is.
 */
export function sessionRoute(path: string): string {
  return /\/v1\/sessions(?:\/[^/]+(?:\/(?:head|rows|records))?)?(?=\/?$)/.exec(path)?.[0] ?? path;
}
