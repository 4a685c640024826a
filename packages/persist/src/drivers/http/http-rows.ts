import { longestTimerMs } from '@vitrine/core/internal/kit/async';
import type { Durability } from '@vitrine/core/internal/session/store/session-store';
import { storedHeadTag } from '../../rows/head.ts';
import type { BlobRows, RowStorage, StoredHead } from '../../rows/row-storage.ts';
import {
  answers,
  durabilities,
  durabilityHeader,
  type FileAnswer,
  fileTypeHeader,
  type HttpSessionsOptions,
  type PageFunctions,
  type ReadAnswer,
} from './http-protocol.ts';

/** Creates row storage on a server. `onDurability` receives the durability of the server's store. */
export function httpRows(
  options: HttpSessionsOptions,
  onDurability: (durability: Durability) => void,
  page: PageFunctions,
): RowStorage {
  const request = createSessionRequests(options, onDurability, page);

  /** Sends a request and parses the answer; null when the server does not know the session. */
  async function ask<Answer>(read: ReadAnswer<Answer>, sent: SessionRequest): Promise<Answer | null> {
    const answered = await request(sent);
    if (answered.outcome !== 'done') return null;
    if (sent.path.endsWith(ifAny) && answers.isAbsent(answered.body)) return null;
    const answer = read(answered.body);
    if (answer !== null) return answer;
    throw notOurs(sent.what);
  }

  function notOurs(what: string): Error {
    const message = `${what} could not be read: the server answered with something other than sessions. Check that createSessionRoutes is mounted at ${JSON.stringify(options.url)}.`;
    return page.fail(message);
  }

  /** Sends a change; false when the stored session is not the expected one. */
  async function change(id: string, sent: Omit<SessionRequest, 'what'>): Promise<boolean> {
    return (await request({ ...sent, what: nameSession(id) })).outcome === 'done';
  }

  /** The request that reads a session, or a part of it. */
  const readRequest = (id: string, part = ''): SessionRequest => {
    return { what: nameSession(id), method: 'GET', path: `${pathOf(id)}${part}${ifAny}` };
  };

  return {
    durability: 'eventual',
    blobs: httpBlobs(request, notOurs),
    async heads() {
      const heads = new Map<string, StoredHead>();
      for (let after: string | null | undefined; after !== null;) {
        const path = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
        const page = await ask(answers.heads, { what: 'The list of sessions', method: 'GET', path });
        for (const [id, text, records] of page?.sessions ?? []) heads.set(id, { text, records });
        after = page?.next ?? null;
      }
      return heads;
    },
    head: (id) => ask(answers.head, readRequest(id, '/head')),
    async read(id) {
      const answer = await ask(answers.session, readRequest(id));
      return answer && { ...answer, rows: new Map(Object.entries(answer.rows)) };
    },
    async rows(id, names) {
      const sent = { method: 'POST', path: `${pathOf(id)}/rows`, body: { names } } as const;
      const answer = await ask(answers.rows, { ...sent, what: nameSession(id) });
      return new Map(Object.entries(answer?.rows ?? {}));
    },
    write: (id, { expected, head, put, drop, blobs = [] }) =>
      change(id, {
        method: 'PUT',
        path: pathOf(id),
        headers: expected === null ? { 'if-none-match': '*' } : ifMatch(expected),
        body: { head, put: Object.fromEntries(put), drop, blobs },
      }),
    append: (id, { expected, record, head, isStrict, put = new Map(), drop = [], blobs = [] }) =>
      change(id, {
        method: 'POST',
        path: `${pathOf(id)}/records`,
        headers: ifMatch(expected),
        body: { record, head, isStrict, put: Object.fromEntries(put), drop, blobs },
      }),
    async remove(id, expected) {
      const headers = expected === undefined ? {} : ifMatch(expected);
      const isDone = await change(id, { method: 'DELETE', path: pathOf(id), headers });
      // A missing session is already removed.
      return isDone || expected === undefined;
    },
  };
}

/** Asks for `{ absent: true }` in place of a 404, which browsers write in the console. Older servers ignore it. */
const ifAny = '?absent';

function nameSession(id: string): string {
  return `Session ${JSON.stringify(decodeURIComponent(id))}`;
}

function pathOf(id: string): string {
  return `/${encodeURIComponent(id)}`;
}

function ifMatch(expected: StoredHead): Readonly<Record<string, string>> {
  return { 'if-match': `"${storedHeadTag(expected)}"` };
}

/** Files on a server, each in its own request. `notOurs` creates the error for answers that are no file. */
function httpBlobs(
  request: (sent: SessionRequest) => Promise<SessionAnswer>,
  notOurs: (what: string) => Error,
): BlobRows {
  return {
    async put(id, { hash, bytes, mediaType }) {
      const path = `/${encodeURIComponent(id)}/files/${hash}`;
      // A media type may be any text, which a header cannot hold.
      const headers = { [fileTypeHeader]: encodeURIComponent(mediaType) };
      const { outcome } = await request({ what: 'The file', method: 'PUT', path, headers, body: bytes });
      if (outcome !== 'done') throw notOurs('The file');
    },
    async get(hash) {
      // The hash may come from a foreign message, and it becomes part of an address.
      if (!/^[0-9a-f]{64}$/.test(hash)) return null;
      const answer = await request({ what: 'The file', method: 'GET', path: `/files/${hash}` });
      if (answer.outcome !== 'done') return null;
      if (!isFile(answer.body)) throw notOurs('The file');
      return answer.body;
    },
  };
}

function isFile(body: unknown): body is FileAnswer {
  return typeof body === 'object' && body !== null && 'bytes' in body && body.bytes instanceof ArrayBuffer;
}

/** One request below `/v1/sessions`. */
type SessionRequest = {
  /** Begins the sentences of errors. */
  readonly what: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
};

/** The result of a request; `body` is the JSON or the file of the answer, or null. */
type SessionAnswer =
  { readonly outcome: 'done'; readonly body: unknown } | { readonly outcome: 'conflict' | 'unknown' };

/** The number of bytes that browsers still send for a page that is gone. The rest of their 64 KiB is for headers. */
const keepaliveBytes = 60_000;
const defaultTimeoutMs = 30_000;
/** Files are larger than JSON, so they may take longer. */
const timesForFiles = 10;
const binary = 'application/octet-stream';

/**
 * Creates the function that sends requests to a session server. Requests are not repeated: after a lost answer nobody knows whether the server acted, and the saver checks before it writes again.
 */
function createSessionRequests(
  options: HttpSessionsOptions,
  onDurability: (durability: Durability) => void,
  page: PageFunctions,
): (request: SessionRequest) => Promise<SessionAnswer> {
  const { url, headers = {}, timeoutMs = defaultTimeoutMs } = options;
  const base = `${url.replace(/\/$/, '')}/v1/sessions`;

  async function send({ method, path, headers: own, body }: Omit<SessionRequest, 'what'>): Promise<Response> {
    const asked = typeof headers === 'function' ? await headers() : headers;
    const sent = body === undefined || body instanceof ArrayBuffer ? (body ?? null) : JSON.stringify(body);
    const type =
      sent === null ? {} : { 'content-type': typeof sent === 'string' ? 'application/json' : binary };
    const longest = path.includes('/files/') ? timeoutMs * timesForFiles : timeoutMs;
    return (options.fetch ?? globalThis.fetch)(base + path, {
      method,
      headers: { ...asked, ...own, ...type },
      body: sent,
      cache: 'no-store',
      keepalive: method !== 'GET' && isLeaving() && bytesOf(sent) < keepaliveBytes,
      signal: AbortSignal.timeout(Math.min(longest, longestTimerMs)),
    });
  }

  return async ({ what, ...request }) => {
    const isReading = request.method === 'GET' || request.path.endsWith('/rows');
    const done = `${what} could not be ${isReading ? 'read' : 'written'}`;
    let response: Response;
    let body: unknown = null;
    let isOurs = false;
    try {
      response = await send(request);
      const said = durabilities.find((name) => name === response.headers.get(durabilityHeader));
      if (said !== undefined) onDurability(said);
      // Servers answer with a page where nothing else takes a request, and behind a redirect to a sign-in.
      isOurs = response.ok && !response.headers.get('content-type')?.startsWith('text/html');
      if (isOurs && response.status !== 204) body = await bodyOf(response);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `${done}: the session server did not answer (${reason}). Check that it runs and that this device is online.`;
      throw page.fail(message, { cause });
    }
    if (isOurs) return { outcome: 'done', body };
    return readRefusal({ done, request: `${request.method} ${base}${request.path}` }, response, page);
  };
}

/**
 * Maps a conflict or a missing session to its result. @throws AgentError `session-storage` for any other refusal, and
 * for the answer of another server
 */
async function readRefusal(
  { done, request }: { readonly done: string; readonly request: string },
  response: Response,
  { fail, serverInFront }: PageFunctions,
): Promise<SessionAnswer> {
  const { status } = response;
  const problem = answers.problem(await response.json().catch(() => null));
  const front = problem === null ? serverInFront(response, { server: 'the session server', request }) : null;
  if (front !== null) {
    const { code, message } = front;
    // A redirect to a sign-in has the status of the page behind it.
    throw fail(`${done}. ${message}`, { data: { status: code === 'unauthorized' ? 401 : status, code } });
  }
  const { code, detail } = problem ?? {
    code: `http-${status}`,
    detail: 'It is no session server, or it failed. Check the url of httpSessions.',
  };
  if (status === 409 && code === 'session-conflict') return { outcome: 'conflict' };
  if (status === 404 && (code === 'session-not-found' || code === 'file-not-found'))
    return { outcome: 'unknown' };
  const message = `${done}: the server answered ${status} (${code}). ${detail}`;
  throw fail(message, { data: { status, code } });
}

function isLeaving(): boolean {
  return typeof document !== 'undefined' && document.visibilityState === 'hidden';
}

function bytesOf(body: string | ArrayBuffer | null): number {
  if (typeof body === 'string') return new TextEncoder().encode(body).length;
  return body?.byteLength ?? 0;
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.headers.get('content-type') !== binary) return response.json();
  const mediaType = decodeURIComponent(response.headers.get(fileTypeHeader) ?? '');
  return { bytes: await response.arrayBuffer(), mediaType } satisfies FileAnswer;
}
