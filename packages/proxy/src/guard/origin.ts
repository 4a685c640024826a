import { wrongSetting } from '../kit/env-record.ts';
import { hostOf } from './hosts.ts';
import type { MiddlewareHandler } from 'hono';
import { cors as honoCors } from 'hono/cors';

/** Methods without side effects, which a page may send anywhere without a preflight request. */
const safeMethods = ['GET', 'HEAD'];

/**
 * True when a browser may have sent the request on behalf of another site and the request has side effects. Only GET
 * and HEAD have none; OPTIONS counts as well. Browsers send an Origin with every such request, whatever the content
 * type; requests without one do not come from a page.
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
 * Returns the origins unchanged when browsers could send each of them. Shells of desktops and phones, and extensions,
 * have schemes of their own, as `tauri://localhost`.
 * @throws AgentError `agent-invalid` for `*`, `null`, `file://`, an address with a path, a name without its scheme.
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
