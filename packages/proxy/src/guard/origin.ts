import { wrongSetting } from '../kit/env-record.ts';
import { hostOf } from './hosts.ts';
import type { MiddlewareHandler } from 'hono';
import { cors as honoCors } from 'hono/cors';

/** Methods without side effects, which a page may send anywhere without a preflight request. */
const safeMethods = ['GET', 'HEAD'];

/**
 * True for a request with side effects (all but GET and HEAD) that a browser may have sent for another site. Browsers
 * send an Origin with each of them; one without does not come from a page.
 */
export function isForeignOrigin(request: Request, allowedOrigins: readonly string[]): boolean {
  if (safeMethods.includes(request.method)) return false;
  const origin = request.headers.get('origin');
  if (origin !== null && allowedOrigins.includes(origin)) return false;
  const site = request.headers.get('sec-fetch-site');
  // Only the browser sets this header. A development server or balancer in between may have changed the Host.
  if (site === 'same-origin') return false;
  if (site !== null && site !== 'none') return true;
  if (origin === null) return false;
  return !/^https?:\/\//.test(origin) || !URL.canParse(origin) || new URL(origin).host !== hostOf(request);
}

/**
 * The origins, which browsers may send with schemes of shells and extensions. @throws AgentError `agent-invalid` for
 * others
 */
export function checkOrigins(origins: readonly string[]): readonly string[] {
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    throw wrongSetting(
      `allowedOrigins contains ${JSON.stringify(origin)}, which is no origin. Write it as browsers send it, e.g. "https://chat.example" or "tauri://localhost".${origin === 'null' || origin.startsWith('file:') ? ' A page from a file has no origin: serve it.' : ''}`,
    );
  }
  return origins;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text) || text.includes('*')) return false;
  const { origin, protocol, host } = new URL(text);
  // Of schemes that it does not know, a URL tells the origin as "null".
  const own = origin === 'null' && host !== '' ? `${protocol}//${host}` : origin;
  return own !== 'null' && own === text;
}

/** Lets pages of exactly these origins read answers with cookies, with any header: such a page is trusted. */
export function cors(
  allowedOrigins: readonly string[],
  { methods, headers }: { readonly methods: readonly string[]; readonly headers: readonly string[] },
): MiddlewareHandler {
  return honoCors({
    origin: (origin) => (allowedOrigins.includes(origin) ? origin : null),
    allowMethods: [...methods],
    exposeHeaders: ['x-request-id', 'retry-after', 'retry-after-ms', ...headers],
    credentials: true,
    maxAge: 600,
  });
}
