import type { ProxyModel } from '../providers/proxy-model.ts';
import type { Problem } from './problem.ts';

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
  tooLarge: {
    status: 413,
    code: 'body-too-large',
    title: 'Request too large',
    detail: 'The conversation is larger than this proxy accepts. Start a new one, or remove files.',
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
