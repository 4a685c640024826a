import type { RequestListener, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { directOf } from '../direct-body.ts';
import type { InferenceProxy } from '../inference-proxy.ts';
import { writeDirect } from './write-direct.ts';

/**
 * A proxy, or the routes of sessions, for whatever has Node's `request` and `response`: `createServer(listener)`,
 * `app.use('/api', listener)`. Events go to the response without a web stream between.
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
  return (request, response) => void listener(request, response);
}
