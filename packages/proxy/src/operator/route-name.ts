/** Method and pattern of a route, for logs: one of few, whatever is asked for. */
export function routeName(method: string, route: string): string {
  const pattern = /^\/v1\/(?:inference|models)$/.exec(route)?.[0] ?? withId(route);
  const isKnown = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'].includes(method);
  return isKnown && pattern !== null ? `${method} ${pattern}` : 'other';
}

function withId(route: string): string | null {
  return /^\/v1\/inference\/[^/]+$/.test(route) ? '/v1/inference/:id' : null;
}
