import { isPlainObject, readJson } from '@vitrine/core/internal/kit/json';
import { maskSecrets } from '@vitrine/core/internal/kit/mask-secrets';
import { networkFailure } from '@vitrine/core/internal/kit/network-error';
import type { InferenceEvent } from '@vitrine/core/internal/model/inference-client';
import { retryAfterIn, retryAfterOf } from '@vitrine/core/internal/model/retry-after';

type ErrorEvent = Extract<InferenceEvent, { type: 'error' }>;

/** The used part of the APICallError of the AI SDK. Its headers and address may hold secrets and are not passed on. */
type CallError = {
  statusCode?: unknown;
  responseHeaders?: Record<string, string>;
  responseBody?: unknown;
  name?: unknown;
  /** Fields of an error that came as an event of a stream. */
  message?: unknown;
  code?: unknown;
  type?: unknown;
};

/** The longest part of an error's body that is looked at, in characters. */
const maxSaid = 20_000;

/** The event of an answer of which nothing could be read. */
export const unreadableEvent: ErrorEvent = {
  type: 'error',
  code: 'stream-malformed',
  message: 'The model provider sent something that cannot be read.',
  retryable: true,
  retryAfterMs: null,
};

/** True for the error of a part that the provider's package could not read. */
export function isUnreadable(error: unknown): boolean {
  return isNamed(error, 'AI_JSONParseError') || isNamed(error, 'AI_TypeValidationError');
}

/** True for the error of a package whose stream lacks a part that it needs, such as its finish reason. */
export function isWithoutEnd(error: unknown): boolean {
  return isNamed(error, 'AI_InvalidResponseDataError');
}

function isNamed(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && (error as CallError).name === name;
}

/** Statuses by words in the codes and types of errors within a stream, the most telling first. */
const statusOfWord: readonly (readonly [RegExp, number])[] = [
  [/quota|billing|credit/i, 402],
  [/rate.?limit|too.?many|exhausted/i, 429],
  [/auth|api.?key|permission/i, 401],
  [/overloaded|unavailable|capacity/i, 503],
  [/not.?found/i, 404],
  [/invalid|bad.?request|context.?length|unsupported|unprocessable/i, 400],
];

/** The status of an error: its own, that in its code, or the one that its code or type means; null for none. */
function statusOf({ statusCode, code, type }: CallError): number | null {
  const figure = [statusCode, code].map(Number).find((one) => one >= 300 && one < 600);
  if (figure !== undefined) return figure;
  const words = [code, type].filter((one) => typeof one === 'string').join(' ');
  return statusOfWord.find(([word]) => word.test(words))?.[1] ?? null;
}

/** A failure: its code, and what a person reads. The status and the code of the provider are put behind the first sentence. */
type UpstreamFailure = readonly [code: string, text: string];

/** The failures that come again when the same request is sent again. */
const lasting: ReadonlySet<string> = new Set([
  'request-not-supported',
  'upstream-unauthorized',
  'upstream-quota-exhausted',
  'upstream-unknown-model',
  'upstream-invalid-request',
]);

const refusedHere = [
  'request-not-supported',
  'This model does not support the content of the request.',
] as const;

const byName: Readonly<Record<string, UpstreamFailure>> = {
  // Requests that were never sent, and would fail again.
  AI_UnsupportedFunctionalityError: refusedHere,
  AI_InvalidPromptError: refusedHere,
  AI_InvalidArgumentError: refusedHere,
  // The provider package found no key, and would find none the next time.
  AI_LoadAPIKeyError: [
    'upstream-unauthorized',
    'This server has no key for the model provider. Check its configuration.',
  ],
};

const unreachable = ['upstream-unreachable', 'The model provider cannot be reached.'] as const;
const oddKey = [
  'upstream-unauthorized',
  'The key for the model provider holds a character that no header can hold. Copy the whole key again.',
] as const;
const failed = ['upstream-error', 'The model provider reported an error.'] as const;

/** A provider's error as an event that is safe to show. `hasBegun`: a broken connection has cut the answer. */
export function upstreamErrorEvent(error: unknown, hasBegun = false): ErrorEvent {
  const fields = fieldsOf(error);
  const { responseHeaders, responseBody, message } = fields;
  const status = statusOf(fields);
  if (status === null && (isUnreadable(error) || isWithoutEnd(error))) return unreadableEvent;
  const said = String(responseBody ?? message ?? '').slice(0, maxSaid);
  const [code, text] = status === null ? byError(error, hasBegun) : byStatus(status, said);
  const saying = sayingOf(error);
  const facts = [status === null ? [] : `status ${status}`, saying.code ?? []].flat();
  const sentences = [
    facts.length === 0 ? text : text.replace('.', () => ` (${facts.join(', ')}).`),
    saying.sentence === null ? [] : `The provider said: ${saying.sentence}`,
  ].flat();
  return {
    type: 'error',
    code,
    message: sentences.join(' '),
    retryable: !lasting.has(code),
    ...(status === null
      ? { retryAfterMs: null }
      : { retryAfterMs: retryAfterOf((header) => responseHeaders?.[header]) ?? retryAfterIn(said), status }),
  };
}

function fieldsOf(error: unknown): CallError {
  return typeof error === 'object' && error !== null ? error : {};
}

/** The failure of a call without a status. */
function byError(error: unknown, hasBegun: boolean): UpstreamFailure {
  const { name } = fieldsOf(error);
  const named = typeof name === 'string' ? byName[name] : undefined;
  if (named !== undefined) return named;
  // Such a request is never sent. Only the key of a model that the application made comes from a person.
  if (error instanceof TypeError && /ByteString|header value/i.test(error.message)) return oddKey;
  const network = networkFailure(error);
  if (network === 'late') return ['upstream-timeout', 'The model provider sent nothing for too long.'];
  // A call without an answer has no status; fetch itself throws a TypeError.
  if (network === null && name !== 'AI_APICallError' && !(error instanceof TypeError)) return failed;
  if (hasBegun)
    return ['stream-incomplete', 'The answer broke off: the connection to the model provider was lost.'];
  if (network === 'broken')
    return ['stream-incomplete', 'The connection to the model provider was lost before it answered.'];
  return unreachable;
}

/** The providers' codes for an exhausted account; some send them with the status of too many requests. */
const exhausted = /insufficient_quota|billing_hard_limit|credit balance is too low/;

function byStatus(status: number, body: string): UpstreamFailure {
  if (status === 402 || (status < 500 && exhausted.test(body)))
    return [
      'upstream-quota-exhausted',
      'The account of this server at the model provider is used up. Check its plan and billing.',
    ];
  if (status === 401 || status === 403)
    return [
      'upstream-unauthorized',
      'The model provider refused the key of this server. Check its configuration.',
    ];
  if (status === 404)
    return [
      'upstream-unknown-model',
      'The model provider does not know this model, or has nothing at this address.',
    ];
  if (status === 429)
    return ['upstream-rate-limited', 'The model provider has too many requests. Try again later.'];
  if (status === 408 || status === 409 || status >= 500)
    return ['upstream-unavailable', 'The model provider failed.'];
  if (status < 400)
    return [
      'upstream-unknown-model',
      'The model provider redirects to another address, which is not followed. Check its base URL.',
    ];
  return ['upstream-invalid-request', 'The model provider did not accept the request.'];
}

/** Codes of providers: `context_length_exceeded`, `INVALID_ARGUMENT`. Ids and keys have other characters. */
const providerCode = /^[A-Za-z]+(?:_[A-Za-z]+)*$/;
const [maxCode, maxSentence] = [60, 300];

/** The code of the provider, and in development its sentence, with secrets masked. Null for none. */
function sayingOf(error: unknown): { readonly code: string | null; readonly sentence: string | null } {
  const { responseBody } = fieldsOf(error);
  const body = error instanceof Error ? bodyOf(responseBody) : error;
  const [first] = Array.isArray(body) ? body : [body];
  const outer = isPlainObject(first) ? first : {};
  const inner = isPlainObject(outer['error']) ? outer['error'] : outer;
  const code = [inner['code'], inner['type'], inner['status']].find(isProviderCode);
  const sentence = [inner['message'], outer['error'], outer['message'], outer['detail'], first].find(isText);
  return {
    code: code ?? null,
    sentence: sentence === undefined || !showsSentences() ? null : shortenSentence(sentence),
  };
}

/** The body of an error: its JSON, or its text unless that is a page. */
function bodyOf(body: unknown): unknown {
  if (typeof body !== 'string') return null;
  const json = readJson(body);
  if (json.ok) return json.value;
  return body.trimStart().startsWith('<') ? null : body;
}

function isProviderCode(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= maxCode && value !== 'error' && providerCode.test(value)
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function shortenSentence(sentence: string): string {
  // Masked before it is cut, because half a token would not be recognised.
  const said = maskSecrets(sentence.slice(0, 10 * maxSentence))
    .replace(/\s+/g, ' ')
    .trim();
  return said.length <= maxSentence ? said : `${said.slice(0, maxSentence - 1)}…`;
}

declare const process: { env: { NODE_ENV?: string } };

/** True in development. Other servers keep the provider's sentences in their logs. */
function showsSentences(): boolean {
  try {
    return process.env.NODE_ENV === 'development';
  } catch {
    return false;
  }
}
