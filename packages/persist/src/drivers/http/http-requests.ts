import {
  type FileAnswer,
  type HttpSessionsOptions,
  type PageFunctions,
  answers,
  durabilities,
  durabilityHeader,
  fileTypeHeader,
} from './http-protocol.ts';
import type { Durability } from '@vitrine/core/internal/session/store/session-store';
import { longestTimerMs } from '@vitrine/core/internal/kit/async';

/** One request below `/v1/sessions`. */
export type SessionRequest = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
};

/** The result of a request; `body` is the JSON or the file of the answer, or null. */
export type SessionAnswer =
  { readonly outcome: 'done'; readonly body: unknown } | { readonly outcome: 'conflict' | 'unknown' };

/** The number of bytes that browsers still send for a page that is gone. The rest of their 64 KiB is for headers. */
const keepaliveBytes = 60_000;
const defaultTimeoutMs = 30_000;
/** Files are larger than JSON, so they may take longer. */
const timesForFiles = 10;
const binary = 'application/octet-stream';

/**
 * Creates the function that sends requests to a session server. `what` begins the sentences of errors. Requests are not
 * repeated: after a lost answer nobody knows whether the server acted, and the saver checks before it writes again.
 */
export function createSessionRequests(
  options: HttpSessionsOptions,
  onDurability: (durability: Durability) => void,
  page: PageFunctions,
): (request: SessionRequest & { readonly what: string }) => Promise<SessionAnswer> {
  const { url, headers = {}, timeoutMs = defaultTimeoutMs } = options;
  const base = `${url.replace(/\/$/, '')}/v1/sessions`;

  async function send({ method, path, headers: own, body }: SessionRequest): Promise<Response> {
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
