import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { UsageError } from '../usage-error.ts';

/** Most bytes of headers: more than any provider takes. */
export const maxHeaderSize: number = 2 ** 20;

/** The answers of a server: to requests for a model, and to those of its page. */
type Answers = {
  /** `path` begins behind the name of the provider. */
  readonly model: (
    request: IncomingMessage,
    response: ServerResponse,
    provider: string,
    path: string,
  ) => void;
  readonly page: (request: IncomingMessage, response: ServerResponse) => void;
};

/**
 * A server for programs of this machine. A program knows the token in its path; a page of another origin, also under a
 * name that leads here, is refused before anything else.
 */
export class LocalServer {
  readonly #token = randomBytes(16).toString('hex');
  readonly #http: Server;

  constructor(answers: Answers) {
    const take = (request: IncomingMessage, response: ServerResponse): void => {
      const { host, origin } = request.headers;
      const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${this.port}`);
      if (!hosts.includes(host ?? '')) return void response.writeHead(421).end();
      if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`))
        return void response.writeHead(403).end();
      const url = request.url ?? '/';
      const found = /^\/r\/([^/]*)\/(\w+)(\/.*)?$/.exec(url);
      if (found === null) return answers.page(request, response);
      const [, token = '', provider = '', path = '/'] = found;
      if (!isSameText(token, this.#token)) return void response.writeHead(404).end();
      answers.model(request, response, provider, path);
    };
    this.#http = createServer({ maxHeaderSize }, take).on('upgrade', (request, socket: Socket, head) => {
      // Without a listener a broken connection would end the recorder.
      socket.on('error', () => undefined);
      // One that stays as it is gets an answer like any other request.
      const response = new ServerResponse(request);
      response.assignSocket(socket);
      response.once('finish', () => socket.end());
      socket.unshift(head);
      take(request, response);
    });
    // A program may take its time, also between two requests.
    Object.assign(this.#http, { requestTimeout: 0, keepAliveTimeout: 0 });
  }

  get port(): number {
    return (this.#http.address() as AddressInfo | null)?.port ?? 0;
  }

  /** The address for programs, with the token. */
  get base(): string {
    return `http://127.0.0.1:${this.port}/r/${this.#token}`;
  }

  listen(port: number): Promise<void> {
    return listenAt(this.#http, port);
  }

  close(): void {
    this.#http.close();
    this.#http.closeAllConnections();
  }
}

/** Compares texts in a time that does not depend on where they differ. */
export function isSameText(a: string, b: string): boolean {
  const hashText = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hashText(a), hashText(b));
}

/**
 * Listens on the loopback interface; port 0 is a free one.
 * @throws UsageError when the port is taken.
 */
export async function listenAt(http: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, '127.0.0.1', resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new UsageError(`Port ${port} is taken, perhaps by another \`vitrine\`. Give another --port.`);
  });
}
