import type { RequestLine } from '../operator/request-line.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';

/** An error before the stream, as `application/problem+json` (RFC 9457). */
export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | null;
  /** Further members of the answer, by name. */
  readonly members?: Readonly<Record<string, string | number>>;
};

/** The HTTP answer of a problem; `requestId` is the id in the log. */
function problemResponse(problem: Problem, requestId: string): Response {
  const { status, code, title, detail, retryable = false, retryAfterMs = null, members = {} } = problem;
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
  };
  if (retryAfterMs !== null) {
    headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
    headers['retry-after-ms'] = String(Math.ceil(retryAfterMs));
  }
  const body = { type: 'about:blank', title, status, detail, code, retryable, requestId, ...members };
  return new Response(JSON.stringify(body), { status, headers });
}

/** Known facts about a failed request besides its problem. */
type RefusalFacts = { readonly id?: string; readonly model?: ProxyModel; readonly cause?: string };

/** Answers with a problem and notes it in the log line of the request. */
export function refuse(
  context: { readonly get: (name: 'line') => RequestLine },
  problem: Problem,
  facts: RefusalFacts = {},
): Response {
  const line = context.get('line');
  line.note({ ...facts, code: problem.code });
  return problemResponse(problem, line.requestId);
}

const mebibyte = 1024 * 1024;

/** A size in words, such as `1 MiB`. */
function size(bytes: number): string {
  return bytes < mebibyte / 10 ? `${bytes} bytes` : `${(bytes / mebibyte).toFixed(1)} MiB`;
}

/** Refusals of a request before any model is called. */
export const problems = {
  foreignOrigin: {
    status: 403,
    code: 'origin-not-allowed',
    title: 'Forbidden',
    detail: 'Pages of other sites may not use this proxy. Add the origin to allowedOrigins.',
  },
  foreignHost: (host: string) => ({
    status: 403,
    code: 'host-not-allowed',
    title: 'Forbidden',
    detail: `This proxy does not answer to the host ${JSON.stringify(host.slice(0, 100))}, because any site could let its name point here. If the name is yours, add it to allowedHosts, or to the environment variable ALLOWED_HOSTS.`,
  }),
  unauthorized: { status: 401, code: 'unauthorized', title: 'Unauthorized', detail: 'Sign in first.' },
  authorizeFailed: {
    status: 503,
    code: 'authorize-failed',
    title: 'Sign-in unavailable',
    detail: 'The sign-in failed, so the caller is unknown. Try again.',
    retryable: true,
  },
  authorizeInvalid: {
    status: 500,
    code: 'authorize-invalid',
    title: 'Internal error',
    detail:
      'The authorize function of this proxy returned neither { id, models?, limits? } nor null. Return one of them.',
  },
  tooManyStreams: {
    status: 429,
    code: 'too-many-streams',
    title: 'Too many requests',
    detail: 'You have reached your limit of concurrent answers. Wait for one to end.',
    retryable: true,
    retryAfterMs: 1000,
  },
  tooManyBytes: {
    status: 429,
    code: 'too-many-bytes',
    title: 'Too many requests',
    detail:
      'Your requests and readers have reached your limit of bytes in flight. Wait for an answer to end, or send less.',
    retryable: true,
    retryAfterMs: 1000,
  },
  serverBusy: {
    status: 503,
    code: 'server-busy',
    title: 'Server busy',
    detail:
      'All requests together have reached the limit of bytes in flight on this server. Try again in a moment.',
    retryable: true,
    retryAfterMs: 2000,
  },
  keyReused: {
    status: 422,
    code: 'idempotency-key-reused',
    title: 'Unprocessable content',
    detail:
      'This Idempotency-Key was used with another body. Send the same body again, or a new key for another request.',
  },
  quotaExceeded: (what: 'requests' | 'tokens', retryAfterMs: number) => ({
    status: 429,
    code: 'quota-exceeded',
    title: 'Too many requests',
    detail: `You have used up your quota of ${what}. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    retryable: true,
    retryAfterMs,
  }),
  beyondQuota: (points: number, most: number) => ({
    status: 429,
    code: 'quota-exceeded',
    title: 'Too many requests',
    detail: `This answer may cost ${points} points, and your quota is ${most} in all. Ask for a shorter answer (maxOutputTokens), or start a new conversation.`,
  }),
  quotaUnavailable: {
    status: 503,
    code: 'quota-unavailable',
    title: 'Quotas unavailable',
    detail: 'Your quota could not be checked. Try again in a moment.',
    retryable: true,
    retryAfterMs: 2000,
  },
  tooLarge: (bytes: number, most: number) => ({
    status: 413,
    code: 'body-too-large',
    title: 'Request too large',
    detail: `The conversation takes ${size(bytes)} without its files; this proxy takes ${size(most)}. Start a new one, or shorten it.`,
  }),
  filesTooLarge: (bytes: number, most: number) => ({
    status: 413,
    code: 'files-too-large',
    title: 'Files too large',
    detail: `The files of the conversation take ${size(bytes)}; this proxy takes ${size(most)}. Send smaller files, or start a new conversation.`,
  }),
  tooSlow: {
    status: 408,
    code: 'body-too-slow',
    title: 'Request timeout',
    detail: 'The request took too long to arrive. Try again.',
    retryable: true,
  },
  tooDeep: (depth: number, most: number) => ({
    status: 400,
    code: 'body-too-deep',
    title: 'Invalid request',
    detail: `The body nests objects and lists ${depth} levels deep; this proxy takes ${most}. Send a flatter value.`,
  }),
  fileUrl: (issue: string) => ({
    status: 400,
    code: 'file-url-not-allowed',
    title: 'Invalid request',
    detail: `The body names a file address that providers may not fetch: ${issue}. Send the file itself instead.`,
  }),
  encoded: {
    status: 415,
    code: 'unsupported-media-type',
    title: 'Unsupported media type',
    detail: 'The request has a content-encoding. Send it uncompressed, without that header.',
  },
  notJsonType: {
    status: 415,
    code: 'unsupported-media-type',
    title: 'Unsupported media type',
    detail: 'Send the request as application/json.',
  },
  notJson: {
    status: 400,
    code: 'invalid-json',
    title: 'Invalid JSON',
    detail: 'The body is not valid JSON. Send a JSON object.',
  },
  noBody: {
    status: 400,
    code: 'invalid-json',
    title: 'No body',
    detail:
      'The body is empty, or it was read before the proxy. Mount the proxy before express.json() and whatever else reads bodies; a client has to send a JSON object.',
  },
  invalid: (issue: string) => ({
    status: 400,
    code: 'invalid-request',
    title: 'Invalid request',
    detail: `The body is not an inference request: ${issue}`,
  }),
  unknownModel: (models: readonly ProxyModel[]) => ({
    status: 404,
    code: 'unknown-model',
    title: 'Unknown model',
    detail: `This proxy does not serve that model. It serves: ${models.map((model) => model.id).join(', ')}.`,
  }),
  unknownInference: {
    status: 404,
    code: 'unknown-inference',
    title: 'Unknown inference',
    detail: 'The stream does not exist, or it has ended and was removed. Send the request again.',
  },
  invalidOffset: {
    status: 400,
    code: 'offset-invalid',
    title: 'Invalid Last-Event-ID',
    detail:
      'No event of this stream has that id. Send the id of the last received event, or none to read from the start.',
  },
  shuttingDown: {
    status: 503,
    code: 'shutting-down',
    title: 'Shutting down',
    detail: 'This server is shutting down and starts no new answers. Try again in a moment.',
    retryable: true,
    retryAfterMs: 2000,
  },
  streamLogUnreachable: {
    status: 503,
    code: 'stream-log-unreachable',
    title: 'Not ready',
    detail: 'The log of streams does not answer. Try again in a moment.',
    retryable: true,
    retryAfterMs: 2000,
  },
  cancelled: {
    status: 499,
    code: 'cancelled',
    title: 'Cancelled',
    detail: 'The inference was cancelled before it began.',
  },
  notFound: {
    status: 404,
    code: 'not-found',
    title: 'Not found',
    detail: 'This address does not exist. Check the path.',
  },
  internal: {
    status: 500,
    code: 'internal-error',
    title: 'Internal error',
    detail: 'The proxy failed unexpectedly. Try again; its log has the cause.',
    retryable: true,
  },
} as const satisfies Record<string, Problem | ((...args: never[]) => Problem)>;
