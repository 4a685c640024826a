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

/** Makes a problem of its status, code and title, with the sentence for the client. */
export function problemOf(
  [status, code, title]: readonly [status: number, code: string, title: string],
  detail: string,
  more: Pick<Problem, 'retryable' | 'retryAfterMs' | 'members'> = {},
): Problem {
  return { status, code, title, detail, ...more };
}

/** Refusals of a request before any model is called. */
export const problems = {
  foreignOrigin: problemOf(
    [403, 'origin-not-allowed', 'Forbidden'],
    'Pages of other sites may not use this proxy. Add the origin to allowedOrigins.',
  ),
  foreignHost: (host: string) =>
    problemOf(
      [403, 'host-not-allowed', 'Forbidden'],
      `This proxy does not answer to the host ${JSON.stringify(host.slice(0, 100))}, because any site could let its name point here. If the name is yours, add it to allowedHosts, or to the environment variable ALLOWED_HOSTS.`,
    ),
  unauthorized: problemOf([401, 'unauthorized', 'Unauthorized'], 'Sign in first.'),
  authorizeFailed: problemOf(
    [503, 'authorize-failed', 'Sign-in unavailable'],
    'The sign-in failed, so the caller is unknown. Try again.',
    { retryable: true },
  ),
  authorizeInvalid: problemOf(
    [500, 'authorize-invalid', 'Internal error'],
    'The authorize function of this proxy returned neither { id, models?, limits? } nor null. Return one of them.',
  ),
  tooManyStreams: problemOf(
    [429, 'too-many-streams', 'Too many requests'],
    'You have reached your limit of concurrent answers. Wait for one to end.',
    { retryable: true, retryAfterMs: 1000 },
  ),
  tooManyBytes: problemOf(
    [429, 'too-many-bytes', 'Too many requests'],
    'Your requests and readers have reached your limit of bytes in flight. Wait for an answer to end, or send less.',
    { retryable: true, retryAfterMs: 1000 },
  ),
  serverBusy: problemOf(
    [503, 'server-busy', 'Server busy'],
    'All requests together have reached the limit of bytes in flight on this server. Try again in a moment.',
    { retryable: true, retryAfterMs: 2000 },
  ),
  keyReused: problemOf(
    [422, 'idempotency-key-reused', 'Unprocessable content'],
    'This Idempotency-Key was used with another body. Send the same body again, or a new key for another request.',
  ),
  quotaExceeded: (what: 'requests' | 'tokens', retryAfterMs: number) =>
    problemOf(
      [429, 'quota-exceeded', 'Too many requests'],
      `You have used up your quota of ${what}. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
      { retryable: true, retryAfterMs },
    ),
  beyondQuota: (points: number, most: number) =>
    problemOf(
      [429, 'quota-exceeded', 'Too many requests'],
      `This answer may cost ${points} points, and your quota is ${most} in all. Ask for a shorter answer (maxOutputTokens), or start a new conversation.`,
    ),
  quotaUnavailable: problemOf(
    [503, 'quota-unavailable', 'Quotas unavailable'],
    'Your quota could not be checked. Try again in a moment.',
    { retryable: true, retryAfterMs: 2000 },
  ),
  tooLarge: (bytes: number, most: number) =>
    problemOf(
      [413, 'body-too-large', 'Request too large'],
      `The conversation takes ${size(bytes)} without its files; this proxy takes ${size(most)}. Start a new one, or shorten it.`,
    ),
  filesTooLarge: (bytes: number, most: number) =>
    problemOf(
      [413, 'files-too-large', 'Files too large'],
      `The files of the conversation take ${size(bytes)}; this proxy takes ${size(most)}. Send smaller files, or start a new conversation.`,
    ),
  tooSlow: problemOf(
    [408, 'body-too-slow', 'Request timeout'],
    'The request took too long to arrive. Try again.',
    { retryable: true },
  ),
  tooDeep: (depth: number, most: number) =>
    problemOf(
      [400, 'body-too-deep', 'Invalid request'],
      `The body nests objects and lists ${depth} levels deep; this proxy takes ${most}. Send a flatter value.`,
    ),
  fileUrl: (issue: string) =>
    problemOf(
      [400, 'file-url-not-allowed', 'Invalid request'],
      `The body names a file address that providers may not fetch: ${issue}. Send the file itself instead.`,
    ),
  encoded: problemOf(
    [415, 'unsupported-media-type', 'Unsupported media type'],
    'The request has a content-encoding. Send it uncompressed, without that header.',
  ),
  notJsonType: problemOf(
    [415, 'unsupported-media-type', 'Unsupported media type'],
    'Send the request as application/json.',
  ),
  notJson: problemOf(
    [400, 'invalid-json', 'Invalid JSON'],
    'The body is not valid JSON. Send a JSON object.',
  ),
  noBody: problemOf(
    [400, 'invalid-json', 'No body'],
    'The body is empty, or it was read before the proxy. Mount the proxy before express.json() and whatever else reads bodies; a client has to send a JSON object.',
  ),
  invalid: (issue: string) =>
    problemOf([400, 'invalid-request', 'Invalid request'], `The body is not an inference request: ${issue}`),
  unknownModel: (models: readonly ProxyModel[]) =>
    problemOf(
      [404, 'unknown-model', 'Unknown model'],
      `This proxy does not serve that model. It serves: ${models.map((model) => model.id).join(', ')}.`,
    ),
  unknownInference: problemOf(
    [404, 'unknown-inference', 'Unknown inference'],
    'The stream does not exist, or it has ended and was removed. Send the request again.',
  ),
  invalidOffset: problemOf(
    [400, 'offset-invalid', 'Invalid Last-Event-ID'],
    'No event of this stream has that id. Send the id of the last received event, or none to read from the start.',
  ),
  shuttingDown: problemOf(
    [503, 'shutting-down', 'Shutting down'],
    'This server is shutting down and starts no new answers. Try again in a moment.',
    { retryable: true, retryAfterMs: 2000 },
  ),
  streamLogUnreachable: problemOf(
    [503, 'stream-log-unreachable', 'Not ready'],
    'The log of streams does not answer. Try again in a moment.',
    { retryable: true, retryAfterMs: 2000 },
  ),
  cancelled: problemOf([499, 'cancelled', 'Cancelled'], 'The inference was cancelled before it began.'),
  notFound: problemOf([404, 'not-found', 'Not found'], 'This address does not exist. Check the path.'),
  internal: problemOf(
    [500, 'internal-error', 'Internal error'],
    'The proxy failed unexpectedly. Try again; its log has the cause.',
    { retryable: true },
  ),
};
