import { createHash, randomUUID } from 'node:crypto';
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

/** A server of MCP that a person has to sign in at. */
export type SignInMcp = ServedMcp & {
  /** Ends the sign-ins: for all requests, or for those of one method. */
  readonly expire: (method?: string) => void;
  /** True when the person refuses at the next sign-in. */
  readonly refuse: (refuses: boolean) => void;
};

/** Serves what `make` registers to those who signed in (OAuth): a code with PKCE, which works once, for a token. */
export async function serveSignInMcp(make: () => McpServer): Promise<SignInMcp> {
  const mcp = await serveMcp(make);
  const challenges = new Map<string, string>();
  let expired: string | null = null;
  let refuses = false;
  let token = '';

  function authorize({ searchParams }: URL, response: ServerResponse): void {
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('state', searchParams.get('state') ?? '');
    const code = randomUUID();
    challenges.set(code, searchParams.get('code_challenge') ?? '');
    back.searchParams.set(refuses ? 'error' : 'code', refuses ? 'access_denied' : code);
    response.writeHead(302, { location: back.href }).end();
  }

  function exchange(form: URLSearchParams, response: ServerResponse): void {
    const code = form.get('code') ?? '';
    const made = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isValid = challenges.get(code) === made;
    challenges.delete(code);
    if (!isValid)
      return json(response, 400, { error: 'invalid_grant', error_description: 'The code is not valid.' });
    [token, expired] = [randomUUID(), null];
    json(response, 200, { access_token: token, token_type: 'Bearer' });
  }

  const http = await listen(async (incoming, response) => {
    const { origin } = http.url;
    const url = new URL(incoming.url ?? '/', origin);
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, 200, { resource: http.url.href, authorization_servers: [origin] });
    if (url.pathname.startsWith('/.well-known/')) return json(response, 200, authorizationServer(origin));
    if (url.pathname === '/authorize') return authorize(url, response);
    const body = await bodyOf(incoming);
    if (url.pathname === '/token') return exchange(new URLSearchParams(body), response);
    const isKnown = token !== '' && incoming.headers.authorization === `Bearer ${token}`;
    if (!isKnown || (expired !== null && body.includes(expired))) return json(response, 401, {});
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = incoming.headers;
    const answered = await fetch(mcp.url, {
      method: incoming.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body === '' ? {} : { body }),
    });
    for (const name of ['content-type', 'mcp-session-id']) {
      const value = answered.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(answered.status).end(await answered.text());
  });
  return {
    url: http.url,
    expire: (method = '') => (expired = method),
    refuse: (next) => (refuses = next),
    async close() {
      await http.close();
      await mcp.close();
    },
  };
}

function authorizationServer(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
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
