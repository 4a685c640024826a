import { hostOf } from './hosts.ts';

/**
 * True when a browser may have sent the request on behalf of another site, and it would do something. Requests without
 * an Origin do not come from a page of another site; browsers send it with every cross-origin POST and DELETE, whatever
 * the content type.
 */
export function isForeignOrigin(request: Request, allowedOrigins: readonly string[]): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false;
  const origin = request.headers.get('origin');
  if (origin !== null && allowedOrigins.includes(origin)) return false;
  if (request.headers.get('sec-fetch-site') === 'cross-site') return true;
  if (origin === null) return false;
  return !URL.canParse(origin) || new URL(origin).host !== hostOf(request);
}
