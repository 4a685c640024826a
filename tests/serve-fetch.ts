import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach } from 'vitest';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Serves a handler of fetch requests over HTTP until the test ends, and resolves with its address. */
export async function served(handle: (request: Request) => Promise<Response>): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const response = await handle(
        new Request(`http://localhost${incoming.url}`, {
          method: incoming.method ?? 'GET',
          headers,
          ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
        }),
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.flushHeaders();
      if (response.body === null) return void outgoing.end();
      const body = Readable.fromWeb(response.body as never);
      outgoing.on('close', () => body.destroy());
      body.on('error', () => outgoing.destroy()).pipe(outgoing);
    })().catch(() => outgoing.destroy());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
}

/** An answer as that of React Native's `fetch`, whose body cannot be read as it comes. */
export function bodiless(): Response {
  return Object.defineProperty(new Response('data: {}\n\n'), 'body', { value: undefined });
}
