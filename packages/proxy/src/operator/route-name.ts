/** Method and pattern of a route for logs: one of few names, whatever was requested. */
export function routeName(method: string, route: string): string {
  const pattern = /^\/v1\/(?:inference|models|sessions)$/.exec(route)?.[0] ?? withId(route);
  const isKnown = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(method);
  return isKnown && pattern !== null ? `${method} ${pattern}` : 'other';
}

function withId(route: string): string | null {
  if (/^\/v1\/sessions\/files\/[0-9a-f]+$/.test(route)) return '/v1/sessions/files/:hash';
  const [, kind, part = ''] =
    /^\/v1\/(inference|sessions)\/[^/]+(\/(?:head|rows|records|files\/[^/]+))?$/.exec(route) ?? [];
  return kind === undefined ? null : `/v1/${kind}/:id${part.replace(/^\/files.*/, '/files/:hash')}`;
}
