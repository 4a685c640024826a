import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How an upstream behaves. */
export type Behaviour =
  | {
      readonly kind: 'answer';
      readonly body: string;
      /** Bytes per write; null for all at once. */ readonly size: number | null;
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  | { readonly kind: 'hang' }
  /** Sends this much and then nothing more, or breaks the connection. */
  | { readonly kind: 'stall'; readonly body: string }
  | { readonly kind: 'cut'; readonly body: string };

export type Upstream = {
  readonly url: string;
  behave: Behaviour;
  /** Requests whose connection the client has closed before the end. */
  readonly closedEarly: () => number;
  readonly authorizations: () => readonly string[];
  readonly close: () => Promise<void>;
};

/** A real HTTP server that answers as a model provider does. */
export async function startUpstream(): Promise<Upstream> {
  let closedEarly = 0;
  const authorizations: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    authorizations.push(
      String(
        request.headers.authorization ?? request.headers['x-api-key'] ?? request.headers['x-goog-api-key'],
      ),
    );
    response.on('close', () => {
      if (!response.writableEnded) closedEarly++;
    });
    request.on('end', () => void answer(response, upstream.behave));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: { kind: 'hang' },
    closedEarly: () => closedEarly,
    authorizations: () => authorizations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}

async function answer(response: ServerResponse, behaviour: Behaviour): Promise<void> {
  if (behaviour.kind === 'hang') return;
  if (behaviour.kind === 'status') {
    response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
    response.end(behaviour.body ?? '{"error":{"message":"secret-canary in the body"}}');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const bytes = Buffer.from(behaviour.body);
  const size = behaviour.kind === 'answer' && behaviour.size !== null ? behaviour.size : bytes.length;
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    // Between two writes the other side gets to read, so that it really sees them one by one.
    if (size < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
  if (behaviour.kind === 'answer') response.end();
  if (behaviour.kind === 'cut') response.destroy();
}
