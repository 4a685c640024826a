import type { ProxyModel } from '../providers/proxy-model.ts';
import type { Problem } from './problem.ts';

const mebibyte = 1024 * 1024;

/** As people read it. */
function size(bytes: number): string {
  return bytes < mebibyte / 10 ? `${bytes} bytes` : `${(bytes / mebibyte).toFixed(1)} MiB`;
}

/** Why a request is refused before any model is called. */
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
    detail: 'It could not be found out who asks. Try again.',
    retryable: true,
  },
  authorizeInvalid: {
    status: 500,
    code: 'authorize-invalid',
    title: 'Internal error',
    detail: 'The authorize function of this proxy gave something else than { id, models?, limits? } or null.',
  },
  tooManyStreams: {
    status: 429,
    code: 'too-many-streams',
    title: 'Too many requests',
    detail: 'As many answers are running as you may have at once. Wait for one to end.',
    retryable: true,
    retryAfterMs: 1000,
  },
  quotaExceeded: (what: 'requests' | 'tokens', retryAfterMs: number) => ({
    status: 429,
    code: 'quota-exceeded',
    title: 'Too many requests',
    detail: `You have used the ${what} that you may use; try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    retryable: true,
    retryAfterMs,
  }),
  beyondQuota: (points: number, most: number) => ({
    status: 429,
    code: 'quota-exceeded',
    title: 'Too many requests',
    detail: `This answer may cost ${points}, and you may use ${most} in all. Ask for a shorter answer (maxOutputTokens), or start a new conversation.`,
  }),
  quotaUnavailable: {
    status: 503,
    code: 'quota-unavailable',
    title: 'Quotas unavailable',
    detail: 'It could not be found out how much you may use. Try again.',
    retryable: true,
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
    detail: `The body holds ${depth} objects and lists in each other; this proxy takes ${most}.`,
  }),
  fileUrl: (issue: string) => ({
    status: 400,
    code: 'file-url-not-allowed',
    title: 'Invalid request',
    detail: `The body sends a provider to an address that it may not be sent to: ${issue}. Send the file itself instead.`,
  }),
  encoded: {
    status: 415,
    code: 'unsupported-media-type',
    title: 'Unsupported media type',
    detail: 'Send the request as it is, without a content-encoding.',
  },
  notJsonType: {
    status: 415,
    code: 'unsupported-media-type',
    title: 'Unsupported media type',
    detail: 'Send the request as application/json.',
  },
  notJson: { status: 400, code: 'invalid-json', title: 'Invalid JSON', detail: 'The body is not JSON.' },
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
    detail: 'There is no such stream, or it is over and was forgotten.',
  },
  invalidOffset: {
    status: 400,
    code: 'offset-invalid',
    title: 'Invalid Last-Event-ID',
    detail:
      'No event of this stream has that id. Send the id of the last event that came, or none to read from the start.',
  },
  shuttingDown: {
    status: 503,
    code: 'shutting-down',
    title: 'Shutting down',
    detail: 'This server is being stopped and begins no new answers. Try again in a moment.',
    retryable: true,
    retryAfterMs: 2000,
  },
  streamLogUnreachable: {
    status: 503,
    code: 'stream-log-unreachable',
    title: 'Not ready',
    detail: 'The log of streams does not answer.',
    retryable: true,
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
    detail: 'There is nothing at this address.',
  },
  internal: {
    status: 500,
    code: 'internal-error',
    title: 'Internal error',
    detail: 'The proxy failed.',
    retryable: true,
  },
} as const satisfies Record<string, Problem | ((...args: never[]) => Problem)>;
