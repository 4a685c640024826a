/**
 * The route that a path names by its end, so that a proxy may be mounted under any path: `/api/v1/models` and
 * `/v1/models` are the same. Any other path is returned unchanged.
 */
export function routeOf(path: string): string {
  const known = /\/(?:v1\/inference(?:\/[^/]+)?|v1\/models|healthz|readyz|metrics)(?=\/?$)/;
  return known.exec(path)?.[0] ?? path;
}
