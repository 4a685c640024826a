import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** A server that a client connects to. */
export type ServedMcp = { readonly url: URL; readonly close: () => Promise<void> };

/**
 * Serves what `make` registers over streamable HTTP, to pages of any origin: a server for each request of the protocol
 * of 2026, and for each session of the one of 2025.
 */
export async function serveMcp(make: () => McpServer): Promise<ServedMcp> {
  const handler = createMcpHandler(make, { legacy: 'reject' });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  async function answer(request: Request): Promise<Response> {
    if (!(await isLegacyRequest(request))) return handler.fetch(request);
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await make().connect(transport);
    return transport.handleRequest(request);
  }
  const http = await listen(async (incoming, response) => {
    const left = new AbortController();
    response.on('close', () => left.abort());
    const answered = await answer(await requestOf(incoming, left.signal));
    answered.headers.forEach((value, name) => response.setHeader(name, value));
    response.writeHead(answered.status);
    for await (const chunk of answered.body ?? []) response.write(chunk);
    response.end();
  });
  return {
    url: http.url,
    async close() {
      await handler.close();
      await http.close();
    },
  };
}

/** Serves the protocol of 2025 with results that `answer` makes, so that they may be anything. */
export async function serveResults(answer: (method: string, params: never) => unknown): Promise<ServedMcp> {
  return listen(async (incoming, response) => {
    const { id, method, params } = JSON.parse(await bodyOf(incoming)) as {
      readonly id?: number;
      readonly method: string;
      readonly params: never;
    };
    if (id === undefined) return void response.writeHead(202).end();
    const result =
      method === 'initialize'
        ? {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'hostile', version: '1' },
          }
        : await answer(method, params);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}

async function listen(
  handle: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<ServedMcp> {
  const http = createServer((incoming, response) => {
    for (const name of ['allow-origin', 'allow-headers', 'allow-methods', 'expose-headers'])
      response.setHeader(`access-control-${name}`, '*');
    if (incoming.method === 'OPTIONS') response.end();
    else void handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', headers, url } = incoming;
  const body = await bodyOf(incoming);
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    signal,
    ...(body === '' ? {} : { body }),
  });
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
