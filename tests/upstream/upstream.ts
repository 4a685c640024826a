import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The behaviour of an upstream. */
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
  | { readonly kind: 'cut'; readonly body: string }
  /** Repeats this without an end, as fast as it is taken or one every so many milliseconds. */
  | { readonly kind: 'endless'; readonly body: string; readonly everyMs: number };

/** A running upstream and what it has seen. */
export type Upstream = {
  readonly url: string;
  /** The behaviour, or that for the body of a request. */
  behave: Behaviour | ((body: string) => Behaviour);
  /** Sets the behaviour of the next requests, one each, before the default applies again. */
  readonly next: Behaviour[];
  /** The bodies of all requests, as they were sent. */
  readonly bodies: () => readonly string[];
  /** Requests whose connection the client has closed before the end. */
  readonly closedEarly: () => number;
  /** Answers that are still being written. */
  readonly open: () => number;
  /** Bytes of answers that the other side has taken, all requests together. */
  readonly written: () => number;
  readonly authorizations: () => readonly string[];
  readonly close: () => Promise<void>;
};

/** A real HTTP server that answers as a model provider does. */
export async function startUpstream(): Promise<Upstream> {
  let closedEarly = 0;
  let written = 0;
  const open = new Set<ServerResponse>();
  const authorizations: string[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (data: string) => (body += data));
    authorizations.push(
      String(
        request.headers.authorization ?? request.headers['x-api-key'] ?? request.headers['x-goog-api-key'],
      ),
    );
    open.add(response);
    response.on('close', () => {
      open.delete(response);
      if (!response.writableEnded) closedEarly++;
    });
    request.on('end', () => {
      bodies.push(body);
      const { next, behave } = upstream;
      const behaviour = next.shift() ?? (typeof behave === 'function' ? behave(body) : behave);
      void answer(response, behaviour, (bytes) => (written += bytes));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: { kind: 'hang' },
    next: [],
    bodies: () => bodies,
    closedEarly: () => closedEarly,
    open: () => open.size,
    written: () => written,
    authorizations: () => authorizations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}

async function answer(
  response: ServerResponse,
  behaviour: Behaviour,
  onWritten: (bytes: number) => void,
): Promise<void> {
  if (behaviour.kind === 'hang') return;
  if (behaviour.kind === 'status') {
    response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
    response.end(behaviour.body ?? '{"error":{"message":"secret-canary in the body"}}');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const bytes = Buffer.from(behaviour.body);
  if (behaviour.kind === 'endless') return repeat(response, bytes, behaviour.everyMs, onWritten);
  const size = behaviour.kind === 'answer' && behaviour.size !== null ? behaviour.size : bytes.length;
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    // Between two writes the other side gets to read, so that it really sees them one by one.
    if (size < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
  if (behaviour.kind === 'answer') response.end();
  if (behaviour.kind !== 'cut') return;
  // What was written leaves with the next tick; a connection that is broken before takes it along.
  await new Promise((resolve) => setTimeout(resolve, 5));
  response.destroy();
}

async function repeat(
  response: ServerResponse,
  bytes: Buffer,
  everyMs: number,
  onWritten: (bytes: number) => void,
): Promise<void> {
  while (!response.destroyed) {
    // The next one is written when this one has left, so that a reader that stalls is felt here.
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      response.write(bytes, () => {
        response.off('close', resolve);
        onWritten(bytes.length);
        resolve();
      });
    });
    await new Promise((resolve) => (everyMs > 0 ? setTimeout(resolve, everyMs) : setImmediate(resolve)));
  }
}
