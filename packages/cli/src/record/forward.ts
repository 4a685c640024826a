import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { withoutProxyHere } from './addresses.ts';
import type { Copy } from './copies.ts';
import { maxHeaderSize } from './local-server.ts';
import { recordTexts } from './record-texts.ts';

/** The header of a request that a person asks for, and not the program. It stays here. */
export const nextMark = 'x-vitrine-next';

/** Headers that are for one connection only; `expect` is answered here, before the body. */
const hop: ReadonlySet<string> = new Set([
  nextMark,
  ...'connection expect host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer upgrade'.split(
    ' ',
  ),
]);

// An idle connection is closed here before a provider closes it, so that no request meets a closed one.
const options = { keepAlive: true, timeout: 4_000, proxyEnv: withoutProxyHere(process.env) } as const;
const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) } as const;

/** Passes a request on to a path behind an address and its answer back, byte by byte, and gives both to the copy. */
export function forward(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { address, path, copy }: { readonly address: string; readonly path: string; readonly copy: Copy },
): void {
  const target = new URL(address);
  const isSafe = target.protocol === 'https:';
  const { upgrade } = request.headers;
  const switched = upgrade === undefined ? [] : ['connection', 'Upgrade', 'upgrade', upgrade];
  const headers = [...headersOf(request.rawHeaders), ...switched, 'host', target.host];
  const upstream = (isSafe ? https : http).request(target, {
    // As it came: an address that was parsed and written is another text.
    path: target.pathname.replace(/\/$/, '') + path,
    method: request.method ?? 'GET',
    headers: headers as unknown as http.OutgoingHttpHeaders,
    agent: agents[isSafe ? 'https:' : 'http:'],
    maxHeaderSize,
  });
  // The end of one side is heard below, by its `close`.
  for (const side of [request, response]) side.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => copy.addRequest(chunk));
  request.once('end', () => copy.endRequest());
  request.pipe(upstream);
  upstream.once('response', (answer) => {
    const { statusCode = 502, statusMessage = '', rawHeaders } = answer;
    copy.beginAnswer(statusCode, answer.headers);
    response.sendDate = false;
    const headers = headersOf(rawHeaders, 'transfer-encoding');
    response.writeHead(statusCode, statusMessage, headers as unknown as http.OutgoingHttpHeaders);
    // The first bytes may be long in coming.
    response.flushHeaders();
    answer.on('error', () => undefined);
    answer.on('data', (chunk: Buffer) => copy.addAnswer(chunk));
    answer.pipe(response);
    answer.once('close', () => {
      if (answer.complete) return;
      copy.end('upstream');
      response.destroy();
    });
  });
  upstream.once('upgrade', (answer, socket, head) => {
    copy.end(null);
    joinSides(answer, socket.setTimeout(0), head, response);
  });
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    const message = recordTexts.noAnswer(target.host, error.code ?? error.message);
    if (response.headersSent || response.destroyed) return void response.destroy();
    // The rest of the body has nowhere to go.
    request.resume();
    const body = Buffer.from(JSON.stringify({ error: { type: 'vitrine_record', message } }));
    const headers = { 'content-type': 'application/json' };
    copy.beginAnswer(502, headers);
    copy.addAnswer(body);
    response.writeHead(502, headers).end(body);
  });
  response.once('close', () => {
    copy.end(response.writableFinished ? null : 'program');
    if (!response.writableFinished) upstream.destroy();
  });
}

/** Passes on the bytes of a connection that is none of HTTP any more, such as a WebSocket. They are not read. */
function joinSides(
  { statusCode, statusMessage, rawHeaders }: http.IncomingMessage,
  upstream: Socket,
  head: Buffer,
  response: http.ServerResponse,
): void {
  const program = response.socket;
  if (program === null) return void upstream.destroy();
  response.detachSocket(program);
  upstream.on('error', () => undefined);
  const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `\r\n${text}: ` : text));
  program.write(`HTTP/1.1 ${statusCode} ${statusMessage}${lines.join('')}\r\n\r\n`);
  program.write(head);
  pipeline(upstream, program, () => upstream.destroy());
  pipeline(program, upstream, () => program.destroy());
}

/** The raw headers without those that are for one connection only. */
function headersOf(raw: readonly string[], alsoLeftOut?: string): string[] {
  const names = raw.map((text) => text.toLowerCase());
  const named = names.flatMap((name, index) =>
    index % 2 === 0 && name === 'connection'
      ? (names[index + 1] ?? '').split(',').map((text) => text.trim())
      : [],
  );
  const isLeftOut = (name = ''): boolean => hop.has(name) || name === alsoLeftOut || named.includes(name);
  return raw.filter((_, index) => !isLeftOut(names[index - (index % 2)]));
}
