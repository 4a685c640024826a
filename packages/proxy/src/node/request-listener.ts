import type { RequestListener, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { directOf } from '../kit/direct-body.ts';
import type { InferenceProxy } from '../inference-proxy.ts';
import { answerProbe, probeOf } from './answer-probe.ts';
import { writeDirect } from './write-direct.ts';

/**
 * A listener for Node's `request` and `response`, made of a proxy or of the routes of sessions:
 * `createServer(listener)`, `app.use('/api', listener)`. Events go to the response without a web stream. Probes (`GET
 * /healthz`, `/readyz`) are answered before any other check.
 */
export function requestListener(proxy: Pick<InferenceProxy, 'fetch'>): RequestListener {
  const listener = getRequestListener(
    async (request, env) => {
      const response = await proxy.fetch(request);
      const direct = directOf(response.body);
      if (direct === null) return response;
      writeDirect(response, direct, env.outgoing as ServerResponse);
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false },
  );
  return (request, response) => {
    const probe = probeOf(request);
    if (probe === null) void listener(request, response);
    else void answerProbe(proxy, probe, request, response);
  };
}
