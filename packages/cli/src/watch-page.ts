import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createRecorder,
  type RemoteChannel,
  sessionHub,
  watchSessions,
  type AskedSession,
} from '@vitrine/inspect';
import { isSameText, listenAt } from './record/local-server.ts';
import { UsageError } from './usage-error.ts';

/** The live sessions of pages on this machine. */
export type WatchedPage = {
  /** The address that a page gives to `localChannel`, with its token. */
  readonly address: string;
  readonly sessions: () => readonly AskedSession[];
  /** True while a page is connected. */
  readonly isConnected: () => boolean;
  readonly close: () => void;
};

const mostBytes = 64 * 2 ** 20;

/**
 * Watches the sessions that pages of this machine share, over HTTP on the loopback interface. Only a page that knows
 * the token is heard. Pages remove secrets before they send.
 * @throws UsageError for a token of less than 16 characters, and when the port is taken.
 */
export async function watchPage(port: number, givenToken: string | undefined): Promise<WatchedPage> {
  const token = givenToken ?? randomBytes(16).toString('hex');
  if (!/^[\w-]{16,}$/.test(token))
    throw new UsageError('--token takes at least 16 letters, digits, "_" or "-".');
  const streams = new Set<ServerResponse>();
  const listeners = new Set<(message: unknown) => void>();
  const channel: RemoteChannel = {
    open(onMessage) {
      listeners.add(onMessage);
      return {
        post: (message) =>
          streams.forEach((stream) => void stream.write(`data: ${JSON.stringify(message)}\n\n`)),
        close: () => void listeners.delete(onMessage),
      };
    },
  };
  const hub = sessionHub();
  const recorder = createRecorder();
  const http = createServer((request, response) => {
    for (const [name, value] of Object.entries(fromAnyPage)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    if (!isAllowed(request, token)) return void response.writeHead(401).end('The token is wrong.');
    if (request.method === 'POST')
      return void takeMessage(request, response, (message) => listeners.forEach((listen) => listen(message)));
    streams.add(response);
    response.on('close', () => streams.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders();
  });
  await listenAt(http, port);
  const leave = watchSessions(channel, {
    hub,
    onError: ({ message }) => process.stderr.write(`${message}\n`),
  });
  return {
    address: `http://127.0.0.1:${port}/#${token}`,
    sessions: () =>
      hub.sources().map((source) => ({ id: source.id, name: source.name, record: recorder.read(source) })),
    isConnected: () => streams.size > 0,
    close() {
      leave();
      recorder.dispose();
      http.close();
      http.closeAllConnections();
    },
  };
}

/** The token is what allows a page, whatever its origin. */
const fromAnyPage = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization',
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-private-network': 'true',
} as const;

function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  return isSameText(headers.authorization ?? '', `Bearer ${token}`);
}

/** Passes on a message; one that is too large or no JSON is refused. */
export async function takeMessage(
  request: IncomingMessage,
  response: ServerResponse,
  onMessage: (message: unknown) => void,
): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) return void response.writeHead(413).end();
      chunks.push(chunk);
    }
    onMessage(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}
