/** The three texts of an error code. They contain no secret, and are the same for every error of the code. */
export type ErrorTexts = {
  /** One sentence for the person who chats: what happened to them. */
  readonly person: string;
  /** The remedy for a developer. */
  readonly fix: string;
  /** The place to look for the person who runs the servers. */
  readonly operator: string;
};

/** The rows of a table, in which a usual text is left out. */
export function withUsual<Usual extends Partial<ErrorTexts>, Code extends string>(
  usual: Usual,
  rows: { readonly [Key in Code]: Omit<ErrorTexts, keyof Usual> & Partial<ErrorTexts> },
): Readonly<Record<Code, ErrorTexts>> {
  const whole = Object.entries<Partial<ErrorTexts>>(rows).map(([key, row]) => [key, { ...usual, ...row }]);
  return Object.fromEntries(whole) as Record<Code, ErrorTexts>;
}

/** Requests that the proxy does not accept. */
const requestErrors = /* @__PURE__ */ withUsual(
  {
    person: 'The server did not understand the request.',
    operator: 'The page sent a request that the proxy does not accept: deploy both in the same version.',
  },
  {
    'body-too-deep': {
      fix: 'Nest less deeply in tool arguments, results and schemas.',
      operator: 'Raise the proxy’s depth (VITRINE_DEPTH).',
    },
    'file-hash-invalid': {
      person: 'The server did not recognise the name of the file.',
      fix: 'Name a file by the SHA-256 of its bytes, as 64 hexadecimal digits.',
    },
    'idempotency-key-reused': {
      person: 'The message could not be sent. Send it again.',
      fix: 'Send a new Idempotency-Key with every new request, and the same body with the same key.',
    },
    'invalid-json': { fix: 'Send the request as JSON.' },
    'invalid-request': { fix: 'Send a valid InferenceRequest; the message names the invalid field.' },
    'method-not-allowed': { fix: 'Use GET for reading and POST for commands.' },
    'offset-invalid': {
      person: 'This answer could not be resumed.',
      fix: 'Send the id of an event of this stream as Last-Event-ID, or omit the header.',
    },
    'unsupported-media-type': { fix: 'Send the request as application/json.' },
  },
);

/** Errors with which a proxy or a provider answers. Other servers may send other codes. */
export const wireErrors = {
  ...requestErrors,
  'authorize-failed': {
    person: 'The server could not verify your sign-in. Try again.',
    fix: 'Nothing in the page: authorize threw.',
    operator: 'Check that the proxy can reach the sign-in service or the JWKS address.',
  },
  'authorize-invalid': {
    person: 'The server is not set up correctly.',
    fix: 'Let authorize return { id } or null.',
    operator: 'The authorize function returned neither { id } nor null.',
  },
  'body-too-large': {
    person: 'This conversation has become too large. Start a new one, or leave files out.',
    fix: 'Shorten the conversation, e.g. with summarizeHistory.',
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
  'command-not-allowed': {
    person: 'You may read this conversation, but not act in it.',
    fix: 'Nothing in the page: access of the server refused the command.',
    operator: 'The access function of createAgentServer refused this principal.',
  },
  'model-not-allowed': {
    person: 'You may not choose this model here. Choose another one.',
    fix: 'Nothing in the page: allowModel of the server refused the model.',
    operator: 'The allowModel function of createAgentServer refused this model for this principal.',
  },
  'command-not-found': {
    person: 'The server does not know this request any more. Try again.',
    fix: 'Give the command again, with the same id.',
    operator: 'Nothing to do: the last 200 answers of a session are kept.',
  },
  'command-of-another': {
    person: 'Somebody else wrote this on this device. Send it again to send it as yourself.',
    fix: 'Give the command again: it belongs to the person who was signed in before.',
    operator: 'Nothing to do: the page gave a command of the person who was signed in before.',
  },
  'file-hash-mismatch': {
    person: 'The file was changed on its way. Send it again.',
    fix: 'Put a file under the SHA-256 of the bytes that are sent.',
    operator: 'Check whether a server between page and proxy changes request bodies.',
  },
  'file-not-found': {
    person: 'This file does not exist any more.',
    fix: 'Nothing: no session of its owner references it.',
    operator: 'Nothing to do: a file is deleted with the last session that references it.',
  },
  'file-too-large': {
    person: 'This file is too large. Send a smaller one.',
    fix: 'Scale images down before they are sent.',
    operator: 'Raise limits.fileBytes of the routes of sessions.',
  },
  'file-url-not-allowed': {
    person: 'A file of this conversation has an address that the server may not read.',
    fix: 'Send the file itself as data, or from a host on the internet.',
    operator: 'Add the host to allowedFileHosts (ALLOWED_FILE_HOSTS), if it lies on the internet.',
  },
  'files-not-kept': {
    person: 'The server does not store files. Send the message without them.',
    fix: 'Give createSessionRoutes a store that supports files.',
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
  'host-not-ready': {
    person: 'The server is starting or stopping. Try again in a moment.',
    fix: 'Nothing: commands are given again by themselves.',
    operator: 'The readiness probe of the server of agents has the reason.',
  },
  'internal-error': {
    person: 'The server failed. Try again.',
    fix: 'Look at the proxy’s log.',
    operator: 'Look up the cause in the proxy’s log by the request id.',
  },
  'not-found': {
    person: 'The server has nothing at this address.',
    fix: 'Set the url of proxyInference to the address of the proxy, e.g. "/api".',
    operator: 'Check that requests for …/v1/inference reach the proxy.',
  },
  'origin-not-allowed': {
    person: 'The server does not accept requests of this page.',
    fix: 'Serve page and proxy from one origin.',
    operator: 'Add the page’s origin to allowedOrigins (ALLOWED_ORIGINS).',
  },
  'proxy-unreachable': {
    person: 'The server cannot be reached. Check your connection.',
    fix: 'Check that the proxy runs and that its url is correct.',
    operator: 'Check that the proxy runs and answers at …/healthz.',
  },
  'quota-exceeded': {
    person: 'You have reached your usage limit. Try again later.',
    fix: 'Send fewer requests, or wait for retryAfterMs; retry() sends the message again.',
    operator: 'Raise the quotas of this principal at the proxy, or at the server of agents.',
  },
  'quota-unavailable': {
    person: 'The server could not check your usage limit. Try again.',
    fix: 'Nothing in the page: the limiter failed.',
    operator: 'See that the limiter’s store can be reached, or give it an insuranceLimiter.',
  },
  'request-not-supported': {
    person: 'This model does not support this request.',
    fix: 'Check that the model supports the request: tools, files, structured output.',
    operator: 'Choose a model that supports the requests of the pages.',
  },
  'server-busy': {
    person: 'The server is busy. Try again in a moment.',
    fix: 'Nothing: retry, as proxyInference does by itself.',
    operator: 'Raise the proxy’s allHeldBytes (VITRINE_ALL_HELD_BYTES), or run more processes.',
  },
  'session-head-too-large': {
    person: 'This title, draft or waiting message is too long to be saved. Shorten it.',
    fix: 'Send long texts as files, or shorten the draft and the queued messages.',
    operator: 'Raise limits.headBytes of createSessionRoutes.',
  },
  'session-quota-exceeded': {
    person: 'There is no room for more conversations. Delete some.',
    fix: 'Offer the list of sessions, so that people can delete what they do not need.',
    operator: 'Raise limits.sessions or limits.bytes of createSessionRoutes, or of createAgentServer.',
  },
  'sessions-busy': {
    person: 'The server is busy. Try again in a moment.',
    fix: 'Nothing: the session is saved again by itself.',
    operator: 'Raise limits.heldBytes or limits.reads of createSessionRoutes, or run more processes.',
  },
  'shutting-down': {
    person: 'The server is being restarted. Try again in a moment.',
    fix: 'Nothing: retry, as proxyInference does by itself.',
    operator: 'Nothing to do: the proxy takes no new requests while it shuts down.',
  },
  'stream-log-unreachable': {
    person: 'The server cannot store answers at the moment. Try again.',
    fix: 'Nothing in the page: the server’s log of streams does not answer.',
    operator: 'Check that the proxy can reach Redis or PostgreSQL, where streams are stored.',
  },
  'stream-too-long': {
    person: 'The answer became too long and was cut off.',
    fix: 'Ask for a shorter answer, or set maxOutputTokens.',
    operator: 'Raise the proxy’s streamBytes (VITRINE_STREAM_BYTES).',
  },
  'too-many-bytes': {
    person: 'Too much is being sent at once. Wait for an answer to end.',
    fix: 'Run fewer agents at once, or send smaller files.',
    operator: 'Raise the proxy’s heldBytes (VITRINE_HELD_BYTES).',
  },
  'too-many-streams': {
    person: 'Too many answers are running at once. Wait for one to end.',
    fix: 'Run fewer agents at once.',
    operator: 'Raise the proxy’s quotas.concurrent.',
  },
  unauthorized: {
    person: 'Sign in first.',
    fix: 'Send the credentials that the proxy’s authorize function expects, with the headers option of proxyInference.',
    operator: 'Find out why authorize rejected the request.',
  },
  'unknown-agent': {
    person: 'This assistant does not exist on the server.',
    fix: 'Name one of the agents that createAgentServer was given.',
    operator: 'Deploy page and server in the same version, or add the agent to createAgentServer.',
  },
  'unknown-inference': {
    person: 'This answer is not available any more.',
    fix: 'Begin a new request.',
    operator:
      'Raise the proxy’s finishedBytes if streams are dropped too early; check that one proxy serves a stream.',
  },
  'unknown-model': {
    person: 'This model is not available here.',
    fix: 'Choose one of the models that GET …/v1/models names.',
    operator: 'Add the model to VITRINE_MODELS, and its provider’s key to the environment.',
  },
  'upstream-error': {
    person: 'The model’s provider reported an error. Try again.',
    fix: 'Look at the proxy’s log; the provider’s message is not sent to the page.',
    operator: 'Read the provider’s message: the cause in the proxy’s log.',
  },
  'upstream-invalid-request': {
    person: 'The model’s provider did not accept the request.',
    fix: 'Check that the model supports the request: tools, files, structured output, settings.',
    operator: 'Read the provider’s message: the cause in the proxy’s log.',
  },
  'upstream-quota-exhausted': {
    person: 'This server’s quota at the model provider is used up. Try another model, or try later.',
    fix: 'Nothing in the page: the server’s account at the provider is used up.',
    operator: 'Look at plan and billing of the account that the provider’s key belongs to.',
  },
  'upstream-rate-limited': {
    person: 'The model is busy. Try again in a while.',
    fix: 'Raise retry.maxAttempts, or send fewer requests at once.',
    operator: 'Look at the rate limits of the provider’s account.',
  },
  'upstream-timeout': {
    person: 'The model took too long to answer. Try again.',
    fix: 'Lower the reasoning effort, or ask for a shorter answer.',
    operator:
      'Raise the proxy’s firstEventMs, idleMs or totalMs (VITRINE_FIRST_EVENT_MS, VITRINE_IDLE_MS, VITRINE_TOTAL_MS).',
  },
  'upstream-unauthorized': {
    person: 'The server is not set up correctly for this model.',
    fix: 'Nothing in the page: the server has no key that the provider accepts.',
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
      'Check the server’s network access to the provider, and the base URL: OPENAI_BASE_URL and its siblings.',
  },
} as const;
