import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { InferenceProxy } from '@vitrine/proxy';

/** Answers a request of Node’s HTTP server. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves the inference proxy, which knows its routes by their ends. */
export function createApiHandler(proxy: InferenceProxy): Handler {
  const listener = getRequestListener((request) => proxy.fetch(request), { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}
