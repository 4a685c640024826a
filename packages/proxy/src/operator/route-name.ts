/** Method and pattern of a route, for logs: one of few, whatever is asked for. */
export function routeName(method: string, route: string): string {
  const pattern = /^\/v1\/(?:inference|models|sessions)$/.exec(route)?.[0] ?? withId(route);
  const isKnown = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(method);
  return isKnown && pattern !== null ? `${method} ${pattern}` : 'other';
}

function withId(route: string): string | null {
  const [, kind, part = ''] =
    /^\/v1\/(inference|sessions)\/[^/]+(\/(?:head|rows|records))?$/.exec(route) ?? [];
  return kind === undefined ? null : `/v1/${kind}/:id${part}`;
}
