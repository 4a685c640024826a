import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { user } from '../graph/message.ts';
import type { InferenceRequest } from './inference-client.ts';

/** A minimal request. */
export const request: InferenceRequest = {
  model: null,
  messages: [user('Hi')],
  tools: [],
  toolChoice: 'auto',
  responseFormat: null,
  settings: {},
};

/** An answer of a server in place of the proxy. */
export type Handler = (response: ServerResponse, request: IncomingMessage) => void;

/** A server with its address, and the requests it received. */
type AnsweringServer = {
  readonly url: string;
  readonly asked: readonly IncomingMessage[];
  readonly stop: () => void;
};

let stopLast: (() => void) | undefined;
afterEach(() => stopLast?.());

/** Starts a server that answers each request with the next handler until the test ends; the last handler repeats. */
export async function serve(...handlers: readonly Handler[]): Promise<AnsweringServer> {
  const asked: IncomingMessage[] = [];
  const server = createServer((message, response) => {
    message.resume();
    asked.push(message);
    const streams = asked.filter(({ method }) => method !== 'DELETE').length;
    if (message.method === 'DELETE') response.writeHead(204).end();
    else message.on('end', () => handlers[Math.min(streams, handlers.length) - 1]?.(response, message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  stopLast = stop;
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}

/** Begins a stream of events. */
export const open = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-inference-id': 's1' });
