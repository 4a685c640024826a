import type { InferenceEvent } from './inference-client.ts';
import type { ProxyInferenceOptions } from './proxy-inference-options.ts';
import { checkedPrice, type ModelPrice } from '../graph/llm-config.ts';
import { callGuarded } from '../kit/async.ts';
import { type JsonObject, readJson } from '../kit/json.ts';
import { isForeign, isPage, isTransient, serverInFront } from '../kit/server-in-front.ts';
import { cutText, urlOf, withoutEnd } from '../kit/text.ts';
import { retryAfterOf } from './retry-after.ts';

type ErrorEvent = Extract<InferenceEvent, { type: 'error' }>;

/** The result of one request to the proxy. */
export type ProxyAnswer =
  /** A stream; its id is null when the server cannot resume it. */
  | { readonly body: ReadableStream<Uint8Array>; readonly id: string | null }
  /** A final failure. */
  | { readonly failed: ErrorEvent }
  /** A failure that may be temporary. */
  | { readonly broken: string; readonly waitMs: number | null };

type Options = Pick<ProxyInferenceOptions, 'url' | 'headers' | 'fetch'>;

export type ProxyRequest = {
  /** The id of the stream to resume; null to begin one. */
  readonly id: string | null;
  readonly init: RequestInit & { readonly headers?: Readonly<Record<string, string>> };
};

/** Sends a request to the proxy, with the application's headers. Rejects as `fetch` does. */
async function callProxy(options: Options, { id, init }: ProxyRequest): Promise<Response> {
  const path = id === null ? '' : `/${encodeURIComponent(id)}`;
  return send(options, `${addressOf(options.url)}${path}`, init);
}

async function send(options: Options, address: string, init: ProxyRequest['init']): Promise<Response> {
  const { headers, fetch: call = globalThis.fetch } = options;
  // The headers of the application may never come.
  const guard = { author: 'headers', signal: init.signal ?? null, timeoutMs: null };
  const own = typeof headers === 'function' ? await callGuarded(guard, headers) : headers;
  return call(address, { ...init, headers: { ...init.headers, ...own } });
}

function addressOf(url: string, path = '/v1/inference'): string {
  return `${withoutEnd(url, '/')}${path}`;
}

export type ListedModel = {
  readonly id: unknown;
  readonly isDefault: boolean;
  readonly price: ModelPrice | null;
  /** Media types of the files that it takes; null when the proxy does not say. */
  readonly accepts: readonly string[] | null;
};

/** Asks the proxy for its models with their prices and files. Rejects when it has no such list. */
export async function listedModels(options: Options): Promise<readonly ListedModel[]> {
  const response = await send(options, addressOf(options.url, '/v1/models'), {});
  if (!response.ok) throw new Error(`The list of models was answered with status ${response.status}.`);
  const { models } = (await response.json()) as { readonly models: readonly JsonObject[] };
  return models.map(({ id, price, accepts, default: isDefault }) => ({
    id,
    isDefault: isDefault === true,
    price: checkedPrice(price),
    accepts: Array.isArray(accepts) ? accepts.filter((type) => typeof type === 'string') : null,
  }));
}

/** Begins a stream. The caller repeats a failure. */
export async function beginStream(
  options: Options,
  { body, key, signal }: { readonly body: string; readonly key: string; readonly signal: AbortSignal },
): Promise<ProxyAnswer> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'idempotency-key': key };
  try {
    const response = await callProxy(options, { id: null, init: { method: 'POST', headers, body, signal } });
    if (response.ok && response.body === undefined) return { failed: withoutStreams() };
    if (!response.ok || !response.body) return { failed: await problemEvent(response, options) };
    if (isForeign(response)) {
      void response.body.cancel().catch(() => undefined);
      const what = isPage(response) ? 'a web page' : String(response.headers.get('content-type'));
      return { failed: elsewhere(options, response, what) };
    }
    return { body: response.body, id: response.headers.get('x-inference-id') };
  } catch (error) {
    signal.throwIfAborted();
    return { failed: unreachable(options, error) };
  }
}

/** Resumes a stream after the last received event. */
export async function resumeStream(
  options: Options,
  { id, last, signal }: { readonly id: string; readonly last: string | null; readonly signal: AbortSignal },
): Promise<ProxyAnswer> {
  const headers = { accept: 'text/event-stream', ...(last === null ? {} : { 'last-event-id': last }) };
  try {
    const response = await callProxy(options, { id, init: { headers, signal, cache: 'no-store' } });
    if (response.status === 200 && response.body && !isForeign(response)) return { body: response.body, id };
    const problem = await problemEvent(response, options);
    if (isTransient(response.status)) return { broken: problem.message, waitMs: problem.retryAfterMs };
    const isGone = response.status === 404 || response.status === 204;
    return { failed: isGone ? incomplete('the proxy does not have the rest of it') : problem };
  } catch (error) {
    signal.throwIfAborted();
    return { broken: messageOf(error), waitMs: null };
  }
}

/** Tells the proxy to end a stream, also while the page is being closed. */
export function giveUpStream(options: Options, id: string): void {
  callProxy(options, { id, init: { method: 'DELETE', keepalive: true } }).catch(() => undefined);
}

/** Converts an answer that is no stream: problem+json (RFC 9457) of the proxy, or of a server before it. */
async function problemEvent(response: Response, options: Options): Promise<ErrorEvent> {
  const { status, headers } = response;
  const problem = parseProblem(await response.text().catch(() => ''));
  const { code, detail, title, message: said, retryable } = problem;
  const retryAfterMs = retryAfterOf((name) => headers.get(name));
  // The proxy itself gives a code with each refusal, and its sentence. Gateways have codes of their own.
  if (isText(code) && isText(detail)) {
    const isRetryable = typeof retryable === 'boolean' ? retryable : isTransient(status);
    return { ...failure(code, detail, isRetryable), retryAfterMs };
  }
  const event = elsewhere(options, response, String(status));
  if (response.redirected || status === 404 || status === 405) return event;
  const words = [detail, title, said].find(isText);
  const message = words === undefined ? event.message : `${event.message} It said: ${cutText(words, 200)}`;
  return { ...event, message, retryAfterMs, status };
}

/** The error of an answer of another server: one in front of the proxy, or one without a proxy. */
function elsewhere({ url }: Options, answer: Response, what: string): ErrorEvent {
  const asked = addressOf(url);
  const front = serverInFront(answer, { server: 'the proxy', request: `POST ${asked}` });
  if (front !== null) return failure(front.code, front.message, front.retryable);
  const message = `There is no Vitrine proxy at POST ${answer.url || asked} (${what}): mount one (guide/proxy), or set \`proxyInference({ url })\` to its address.`;
  return failure('proxy-unreachable', message, false);
}

/** The error of a `fetch` whose answers come as a whole, as that of React Native. */
function withoutStreams(): ErrorEvent {
  const message =
    'This `fetch` gives no `response.body` to read as it comes. Give one that does, in React Native that of `expo/fetch`: `proxyInference({ url, fetch })`.';
  return failure('env-invalid', message, false);
}

/** The error of a request without an answer. An address that cannot be parsed is not worth another attempt. */
function unreachable({ url, fetch: own }: Options, error: unknown): ErrorEvent {
  const page = globalThis.location?.href;
  const address = addressOf(url);
  const target = urlOf(address, page);
  if (own || target !== null) {
    const origin = globalThis.location?.origin;
    const isElsewhere = origin !== undefined && target !== null && target.origin !== origin;
    const origins = isElsewhere ? `, and that its \`allowedOrigins\` has ${origin}` : '';
    const message = `The inference proxy at ${url} cannot be reached (${messageOf(error)}): see that it runs${origins}.`;
    return failure('proxy-unreachable', message, true);
  }
  const remedy =
    page === undefined
      ? "outside of a page give inference: `proxyInference({ url: 'http://localhost:8787' })` with the whole address, or `fromLanguageModel(model)` without a proxy"
      : 'set `proxyInference({ url })` to the address of the proxy, e.g. `/api`';
  return failure('proxy-unreachable', `${address} is not an address of a proxy: ${remedy}.`, false);
}

type Problem = { readonly [Key in 'code' | 'detail' | 'title' | 'message' | 'retryable']?: unknown };

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function parseProblem(text: string): Problem {
  const json = readJson(text);
  return json.ok && typeof json.value === 'object' && json.value !== null ? (json.value as Problem) : {};
}

export function incomplete(why: string): ErrorEvent {
  return failure('stream-incomplete', `The answer broke off: ${why}.`, true);
}

/** The event that ends an answer with an error of this client. */
export function failure(code: string, message: string, retryable: boolean): ErrorEvent {
  return { type: 'error', code, message, retryable, retryAfterMs: null };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
