import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { finish, sseText, sseWrites, type Wire } from '../sse-events.ts';
import { parseScriptPath } from '../stream-script.ts';
import { sendWrites } from './send-writes.ts';

export type BenchServer = {
  /** One origin per port. A browser opens six connections to each. */
  readonly origins: readonly string[];
  readonly close: () => void;
};

/** A real HTTP server with the built page of `directory` and, for each request, an answer that its path describes. */
export async function startBenchServer(directory: string, ports: number): Promise<BenchServer> {
  const servers = await Promise.all(
    Array.from({ length: ports }, () =>
      listen(createServer((request, response) => void answer(directory, request, response))),
    ),
  );
  return {
    origins: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function answer(directory: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'OPTIONS') {
    const headers = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*',
      'access-control-max-age': '600',
    };
    response.writeHead(204, headers).end();
    return;
  }
  if (request.method === 'GET') return file(directory, request.url ?? '/', response);
  // The request is read to its end, as a model does, but its content is ignored.
  for await (const _chunk of request) continue;
  const [, wire, path] = (request.url ?? '').split('/');
  if (path === 'clock') return sayTheTime(response);
  const script = parseScriptPath(path ?? '');
  const all = sseWrites(script, wire as Wire).map((text) => Buffer.from(text));
  await sendWrites(response, all, script.delayMs);
}

/** Says the time 100 times, once every 30 ms. */
async function sayTheTime(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(sseText([{ type: 'start', id: 'clock', model: 'clock' }], 0));
  for (let word = 1; word <= 100; word++) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    response.write(sseText([{ type: 'text-delta', delta: `${Date.now()} ` }], word));
  }
  response.end(sseText([finish('stop')], 101));
}

async function file(directory: string, url: string, response: ServerResponse): Promise<void> {
  const path = url === '/' ? '/index.html' : url;
  const types = { '.js': 'text/javascript', '.css': 'text/css' };
  const type = types[extname(path) as keyof typeof types] ?? 'text/html';
  try {
    response.writeHead(200, { 'content-type': type }).end(await readFile(join(directory, path)));
  } catch {
    response.writeHead(404).end();
  }
}
