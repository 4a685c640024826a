import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { InferenceProxy } from '../inference-proxy.ts';

/**
 * A listener for Node's `createServer` or `app.use`, made of a proxy or of the routes of sessions. Probes (`GET
 * /healthz`, `/readyz`) are answered before any other check.
 */
export function requestListener(proxy: Pick<InferenceProxy, 'fetch'>): RequestListener {
  const listener = getRequestListener((request) => proxy.fetch(request), { overrideGlobalObjects: false });
  return (request, response) => {
    const probe = probeOf(request);
    if (probe === null) void listener(request, response);
    else void answerProbe(proxy, probe, request, response);
  };
}

/** The route of a probe under any path, or of `OPTIONS /`, which HAProxy asks. Null for others and for preflights. */
function probeOf({ method, url = '', headers }: IncomingMessage): '/healthz' | '/readyz' | null {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') return null;
  if (method === 'OPTIONS' && headers.origin === undefined && (url === '/' || url === '*')) return '/healthz';
  const [path = ''] = url.split('?', 1);
  const [, found] = /(?:^|\/)(healthz|readyz)\/?$/.exec(path) ?? [];
  return found === undefined ? null : `/${found as 'healthz' | 'readyz'}`;
}

/** Answers a probe by its route alone: balancers ask by address and with HTTP/1.0, without Host, origin and sign-in. */
async function answerProbe(
  proxy: Pick<InferenceProxy, 'fetch'>,
  route: '/healthz' | '/readyz',
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  const { status, headers, body } = await answerTo(proxy, route);
  response.writeHead(status, [...headers, 'content-length', String(Buffer.byteLength(body))]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo(proxy: Pick<InferenceProxy, 'fetch'>, route: string) {
  try {
    const answer = await proxy.fetch(new Request(`http://localhost${route}`));
    return { status: answer.status, headers: [...answer.headers].flat(), body: await answer.text() };
  } catch {
    return { status: 500, headers: [], body: '' };
  }
}
