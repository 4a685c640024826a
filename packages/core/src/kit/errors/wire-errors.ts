import type { ErrorFaces } from './error-faces.ts';

const page = 'The page sent something else than the proxy takes: deploy both in the same version.';

/** What a proxy or a provider answers instead of a model's words. Other servers may send other codes. */
export const wireErrors = {
  'authorize-failed': {
    person: 'The server could not find out who you are. Try again.',
    fix: 'Nothing in the page: authorize threw.',
    operator: 'See that the sign-in service, or the JWKS address, can be reached from the proxy.',
  },
  'authorize-invalid': {
    person: 'The server is not set up correctly.',
    fix: 'Let authorize give { id } or null.',
    operator: 'The authorize function gave something else than { id } or null.',
  },
  'body-too-deep': {
    person: 'The server did not understand the request.',
    fix: 'Nest less deeply in tool arguments, results and schemas.',
    operator: 'Raise the proxy’s depth (VITRINE_DEPTH).',
  },
  'body-too-large': {
    person: 'This conversation has become too large. Start a new one, or leave files out.',
    fix: 'Shorten what is sent, e.g. with summarizeHistory.',
    operator: 'Raise the proxy’s bodyBytes (VITRINE_BODY_BYTES).',
  },
  'body-too-slow': {
    person: 'The message took too long to be sent. Try again.',
    fix: 'Send less at once, or smaller files.',
    operator: 'Raise the proxy’s bodyMs (VITRINE_BODY_MS), or look for clients that stall.',
  },
  cancelled: {
    person: 'The answer was stopped.',
    fix: 'Nothing: the request was ended on purpose.',
    operator: 'Nothing to do: the request was ended by its client.',
  },
  'file-hash-invalid': {
    person: 'The server did not understand which file was meant.',
    fix: 'Name a file by the SHA-256 of its bytes, as 64 hexadecimal digits.',
    operator: page,
  },
  'file-hash-mismatch': {
    person: 'The file was changed on its way. Send it again.',
    fix: 'Put a file under the SHA-256 of the bytes that are sent.',
    operator: 'See whether something between page and proxy changes what is sent.',
  },
  'file-not-found': {
    person: 'This file is not there any more.',
    fix: 'Nothing: no session of its owner holds it.',
    operator: 'Nothing to do: files go with the last session that holds them.',
  },
  'file-too-large': {
    person: 'This file is too large. Send a smaller one.',
    fix: 'Scale images down before they are sent.',
    operator: 'Raise limits.fileBytes of the routes of sessions.',
  },
  'file-url-not-allowed': {
    person: 'A file of this conversation lies where the server may not fetch it.',
    fix: 'Send the file itself as data, or from a host on the internet.',
    operator: 'Add the host to allowedFileHosts (ALLOWED_FILE_HOSTS), if it lies on the internet.',
  },
  'files-not-kept': {
    person: 'The server keeps no files. Send the message without them.',
    fix: 'Give createSessionRoutes a store that keeps files.',
    operator: 'Use sqliteSessions or postgresSessions, or give your own store blobs.',
  },
  'files-too-large': {
    person: 'The files of this conversation are too large. Send smaller ones, or start a new conversation.',
    fix: 'Scale images down before they are sent.',
    operator: 'Raise the proxy’s imageBytes (VITRINE_IMAGE_BYTES).',
  },
  'host-not-allowed': {
    person: 'The server does not accept requests at this address.',
    fix: 'Open the page under an allowed host.',
    operator: 'Add the host to allowedHosts (ALLOWED_HOSTS).',
  },
  'internal-error': {
    person: 'The server failed. Try again.',
    fix: 'Look at the proxy’s log.',
    operator: 'See what failed: the cause in the proxy’s log, by the request id.',
  },
  'invalid-json': {
    person: 'The server did not understand the request.',
    fix: 'Send the request as JSON.',
    operator: page,
  },
  'invalid-request': {
    person: 'The server did not understand the request.',
    fix: 'Send an InferenceRequest as the message says.',
    operator: page,
  },
  'not-found': {
    person: 'The server has nothing at this address.',
    fix: 'Give proxyInference the url under which the proxy is mounted, e.g. "/api".',
    operator: 'See that requests for …/v1/inference reach the proxy.',
  },
  'offset-invalid': {
    person: 'This answer could not be taken up again.',
    fix: 'Send as Last-Event-ID the id of an event of this stream, or none.',
    operator: page,
  },
  'origin-not-allowed': {
    person: 'The server does not accept requests of this page.',
    fix: 'Serve page and proxy from one origin.',
    operator: 'Add the page’s origin to allowedOrigins (ALLOWED_ORIGINS).',
  },
  'proxy-unreachable': {
    person: 'The server cannot be reached. See whether you are online.',
    fix: 'See that the proxy runs, and that its url is right.',
    operator: 'See that the proxy runs and answers at …/healthz.',
  },
  'quota-exceeded': {
    person: 'You have used what you may use for now. Try again in a while.',
    fix: 'Ask less, or wait as long as retryAfterMs says.',
    operator: 'Raise the proxy’s quotas for this principal.',
  },
  'quota-unavailable': {
    person: 'The server could not find out how much you may use. Try again.',
    fix: 'Nothing in the page: the limiter failed.',
    operator: 'See that the limiter’s store can be reached, or give it an insuranceLimiter.',
  },
  'request-not-supported': {
    person: 'This model cannot do what was asked of it.',
    fix: 'See that the model can do what is asked: tools, files, structured output.',
    operator: 'Choose a model that can do what the pages ask for.',
  },
  'shutting-down': {
    person: 'The server is being restarted. Try again in a moment.',
    fix: 'Nothing: ask again, as proxyInference does by itself.',
    operator: 'Nothing to do: the proxy takes no new requests while it shuts down.',
  },
  'stream-log-unreachable': {
    person: 'The server cannot keep answers at the moment. Try again.',
    fix: 'Nothing in the page: the server’s log of streams does not answer.',
    operator: 'See that Redis or PostgreSQL, where streams are kept, can be reached from the proxy.',
  },
  'stream-too-long': {
    person: 'The answer became too long and was cut off.',
    fix: 'Ask for less at once, or set maxOutputTokens.',
    operator: 'Raise the proxy’s streamBytes (VITRINE_STREAM_BYTES).',
  },
  'too-many-streams': {
    person: 'Too many answers are running at once. Wait for one to end.',
    fix: 'Run fewer agents at once.',
    operator: 'Raise the proxy’s quotas.concurrent.',
  },
  unauthorized: {
    person: 'Sign in first.',
    fix: 'Send what the proxy’s authorize function asks for, with the headers option of proxyInference.',
    operator: 'Look at why authorize refused the request.',
  },
  'unknown-inference': {
    person: 'This answer is not available any more.',
    fix: 'Begin a new request.',
    operator:
      'Raise the proxy’s finishedBytes if streams are forgotten too early; see that one proxy serves a stream.',
  },
  'unknown-model': {
    person: 'This model is not available here.',
    fix: 'Choose one of the models that GET …/v1/models names.',
    operator: 'Add the model to VITRINE_MODELS, and its provider’s key to the environment.',
  },
  'unsupported-media-type': {
    person: 'The server did not understand the request.',
    fix: 'Send the request as application/json.',
    operator: page,
  },
  'upstream-error': {
    person: 'The model’s provider reported an error. Try again.',
    fix: 'Look at the proxy’s log; the page is not told what the provider said.',
    operator: 'See what the provider said: the cause in the proxy’s log.',
  },
  'upstream-invalid-request': {
    person: 'The model’s provider did not accept the request.',
    fix: 'See that the model can do what is asked: tools, files, structured output, settings.',
    operator: 'See what the provider said: the cause in the proxy’s log.',
  },
  'upstream-quota-exhausted': {
    person: 'This server has used up what it may ask of the model. Try another model, or later.',
    fix: 'Nothing in the page: the server’s account at the provider is used up.',
    operator: 'Look at plan and billing of the account that the provider’s key belongs to.',
  },
  'upstream-rate-limited': {
    person: 'The model is used by too many at the moment. Try again in a while.',
    fix: 'Raise retry.maxAttempts, or ask less at once.',
    operator: 'Look at the rate limits of the provider’s account.',
  },
  'upstream-timeout': {
    person: 'The model took too long to answer. Try again.',
    fix: 'Lower the reasoning effort, or ask for less at once.',
    operator:
      'Raise the proxy’s firstEventMs, idleMs or totalMs (VITRINE_FIRST_EVENT_MS, VITRINE_IDLE_MS, VITRINE_TOTAL_MS).',
  },
  'upstream-unauthorized': {
    person: 'The server is not set up correctly for this model.',
    fix: 'Nothing in the page: the server’s key was refused.',
    operator:
      'Set a valid key of the provider: OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENAI_COMPATIBLE_API_KEY.',
  },
  'upstream-unavailable': {
    person: 'The model’s provider has problems at the moment. Try again in a while.',
    fix: 'Retry later, or choose another model.',
    operator: 'Look at the provider’s status page.',
  },
  'upstream-unknown-model': {
    person: 'This model is not available at its provider. Choose another one.',
    fix: 'Choose one of the models that GET …/v1/models names.',
    operator: 'Correct the model’s name in VITRINE_MODELS, or the provider’s base URL.',
  },
  'upstream-unreachable': {
    person: 'The model’s provider cannot be reached.',
    fix: 'Nothing in the page: the server could not reach the provider.',
    operator:
      'See that the server may reach the provider, and its base URL: OPENAI_BASE_URL and its siblings.',
  },
} as const satisfies Record<string, ErrorFaces>;
