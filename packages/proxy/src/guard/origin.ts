import { AgentError } from '@vitrine/core';
import { hostOf } from './hosts.ts';

/** Methods that do nothing, and that a page may send anywhere without being asked. */
const safeMethods = ['GET', 'HEAD'];

/** What browsers say of a request that the page's own site or the person at the keyboard has made. */
const ownSites = ['same-origin', 'none'];

/**
 * True when a browser may have sent the request on behalf of another site, and it would do something: a method other
 * than GET and HEAD, also the question whether it may (OPTIONS). Browsers send an Origin with every one of them,
 * whatever the content type; requests without one come from no page.
 */
export function isForeignOrigin(request: Request, allowedOrigins: readonly string[]): boolean {
  if (safeMethods.includes(request.method)) return false;
  const origin = request.headers.get('origin');
  if (origin !== null && allowedOrigins.includes(origin)) return false;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && !ownSites.includes(site)) return true;
  if (origin === null) return false;
  return !URL.canParse(origin) || new URL(origin).host !== hostOf(request);
}

/**
 * The origins as they are given, when each of them is one that a browser could send.
 * @throws AgentError `agent-invalid` for `*`, `null`, an address with a path, a name without its scheme.
 */
export function checkOrigins(origins: readonly string[]): readonly string[] {
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin && !origin.includes('*')) continue;
    throw new AgentError(
      'agent-invalid',
      `allowedOrigins holds ${JSON.stringify(origin)}, which is no origin; write it as browsers do, e.g. "https://chat.example".`,
    );
  }
  return origins;
}
