import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { InferenceProxy } from '../inference-proxy.ts';
import { answerProbe, probeOf } from './answer-probe.ts';

/**
 * A listener for Node's `request` and `response`, made of a proxy or of the routes of sessions:
 * `createServer(listener)`, `app.use('/api', listener)`. Probes (`GET /healthz`, `/readyz`) are answered before any
 * other check.
 */
export function requestListener(proxy: Pick<InferenceProxy, 'fetch'>): RequestListener {
  const listener = getRequestListener((request) => proxy.fetch(request), { overrideGlobalObjects: false });
  return (request, response) => {
    const probe = probeOf(request);
    if (probe === null) void listener(request, response);
    else void answerProbe(proxy, probe, request, response);
  };
}
