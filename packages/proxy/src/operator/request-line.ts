import type { ProxyModel } from '../providers/proxy-model.ts';
import { explainError } from '@vitrine/core';
import { providers } from '../providers/providers.ts';
import type { MiddlewareHandler } from 'hono';

/**
 * The end of a model call, or of the proxy itself; a request that was `refused`, or answered without a model (`read`).
 * A call is `cancelled` by a client, or because nobody read it any more.
 */
type RequestOutcome = 'completed' | 'failed' | 'cancelled' | 'refused' | 'read';

/**
 * One log line per request, without prompts, answers, keys or headers. The line of a model call is written when its
 * stream has ended, every other one at once. A server of agents writes one more for each model call. Unknown fields are
 * null.
 */
export type ProxyLogEntry = {
  /** The id of this request, in its answer as `x-request-id`; that of the call for one that a server made by itself. */
  readonly requestId: string;
  /** Method and pattern, e.g. `GET /v1/inference/:id`; `other` for an unknown route, `model call` for a call of a session. */
  readonly route: string;
  readonly outcome: RequestOutcome;
  /** The code of the error. */
  readonly code: string | null;
  readonly status: number;
  /** The id of the caller, from `authorize`. */
  readonly principal: string | null;
  readonly model: string | null;
  /** The id of the stream, as in `x-inference-id`, or of the session that called. */
  readonly id: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The cost in the currency of the model's `price`. */
  readonly cost: number | null;
  /** Milliseconds to the end of the stream, or to the answer. */
  readonly ms: number;
  /** Milliseconds to the first event of the model. */
  readonly firstEventMs: number | null;
  /**
   * The upstream's error message, with masked secrets and at most 300 characters. It is not sent to clients. A completed
   * call has one when the model was asked again without what it refused.
   */
  readonly cause: string | null;
  /** The remedy, with provider, model and the environment variable to check. */
  readonly hint: string | null;
};

/** The default log: a line of JSON on standard error. */
export function logLine(entry: ProxyLogEntry): void {
  console.error(JSON.stringify({ at: new Date().toISOString(), ...entry }));
}

/** Codes of failures that last until somebody changes the server. */
const lasting: readonly string[] = [
  'upstream-unauthorized',
  'upstream-quota-exhausted',
  'upstream-unknown-model',
];

/** The level of a line: `error` when only the operator can help. */
export function levelOf({ outcome, code, status, cause }: ProxyLogEntry): 'error' | 'warn' | 'info' {
  if (status >= 500 || (code !== null && lasting.includes(code))) return 'error';
  return outcome === 'failed' || outcome === 'refused' || cause !== null ? 'warn' : 'info';
}

/** Fields of the line that become known while a request is handled. */
type Facts = Partial<Omit<ProxyLogEntry, 'requestId' | 'route' | 'hint' | 'model'>> & {
  readonly model?: ProxyModel;
};

export type RequestLine = ReturnType<typeof openRequestLine>;

function openRequestLine(route: string, log: (entry: ProxyLogEntry) => void) {
  const requestId = crypto.randomUUID();
  const startedAt = performance.now();
  let known: Facts = {};
  let isWaiting = false;

  function write(facts: Facts): void {
    const { model, status = 200, ms = performance.now() - startedAt, ...rest } = { ...known, ...facts };
    const code = rest.code ?? null;
    log({
      requestId,
      route,
      outcome: rest.outcome ?? outcomeOf(status, code),
      code,
      status,
      principal: rest.principal ?? null,
      model: model?.id ?? null,
      id: rest.id ?? null,
      inputTokens: rest.inputTokens ?? null,
      outputTokens: rest.outputTokens ?? null,
      cost: rest.cost ?? null,
      ms: Math.round(ms),
      firstEventMs: rest.firstEventMs == null ? null : Math.round(rest.firstEventMs),
      cause: rest.cause ?? null,
      hint: code === null || wanted.includes(code) ? null : hintOf(code, model ?? null),
    });
  }

  return {
    requestId,
    note: (facts: Facts): void => void (known = { ...known, ...facts }),
    /** Defers the line from the answer of the request to the end of its stream. */
    wait: (is: boolean): void => void (isWaiting = is),
    /** Writes the line, unless it waits for a stream. */
    writeAtAnswer(status: number): void {
      if (!isWaiting) write({ status });
    },
    writeAtEnd: write,
  };
}

function outcomeOf(status: number, code: string | null): ProxyLogEntry['outcome'] {
  if (status < 400) return 'read';
  if (status === 500) return 'failed';
  return code === 'cancelled' ? 'cancelled' : 'refused';
}

/** Codes that the caller caused on purpose, which need no remedy. */
const wanted: readonly string[] = ['cancelled', 'stream-cancelled'];

/** The provider setting that an error code points at. */
const settingOf: Readonly<Record<string, 'apiKey' | 'baseURL'>> = {
  'upstream-unauthorized': 'apiKey',
  'upstream-quota-exhausted': 'apiKey',
  'upstream-rate-limited': 'apiKey',
  'upstream-unreachable': 'baseURL',
};

/** The remedy for an error code, with provider, model and environment variable where they are known. */
function hintOf(code: string, model: Pick<ProxyModel, 'id' | 'provider'> | null): string {
  const variable = variableOf(code, model?.provider);
  const about = model === null ? {} : { provider: model.provider, model: model.id };
  return explainError({ code, data: { ...about, ...(variable === undefined ? {} : { variable }) } }).operator;
}

function variableOf(code: string, providerId: string | undefined): string | undefined {
  if (code === 'unknown-model' || code === 'upstream-unknown-model') return 'VITRINE_MODELS';
  const setting = Object.hasOwn(settingOf, code) ? settingOf[code] : undefined;
  const provider = providers.find(({ id }) => id === providerId);
  return setting === undefined ? undefined : provider?.variables[setting];
}

/** Routes that machines poll; they are not logged. */
const quiet = /^\/(?:healthz|readyz|metrics)$/;

/** Gives every request its id and, except for probes, its one log line, with the name of its route. */
export function recordRequests(
  log: (entry: ProxyLogEntry) => void,
  nameOf: (method: string, route: string) => string = routeName,
): MiddlewareHandler<{ Variables: { readonly line: RequestLine } }> {
  return async (context, next) => {
    const { method, path } = context.req;
    const line = openRequestLine(nameOf(method, path), quiet.test(path) ? () => undefined : log);
    context.set('line', line);
    await next();
    context.res.headers.set('x-request-id', line.requestId);
    line.writeAtAnswer(context.res.status);
  };
}

/** Method and pattern of a route for logs: one of few names, whatever was requested. */
export function routeName(method: string, route: string): string {
  const pattern = /^\/v1\/(?:inference|models|sessions)$/.exec(route)?.[0] ?? withId(route);
  const isKnown = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(method);
  return isKnown && pattern !== null ? `${method} ${pattern}` : 'other';
}

function withId(route: string): string | null {
  if (/^\/v1\/sessions\/files\/[0-9a-f]+$/.test(route)) return '/v1/sessions/files/:hash';
  const [, kind, part = ''] =
    /^\/v1\/(inference|sessions)\/[^/]+(\/(?:head|rows|records|files\/[^/]+))?$/.exec(route) ?? [];
  return kind === undefined ? null : `/v1/${kind}/:id${part.replace(/^\/files.*/, '/files/:hash')}`;
}

/** Metrics of a proxy for a scraper, as `proxyMetrics` of `@vitrine/proxy/metrics` provides them. */
export type MetricsSource = {
  /** Counts a request. */
  readonly count: (entry: ProxyLogEntry) => void;
  /** Receives, once, the function that counts the open streams. */
  readonly watch: (openStreams: () => number) => void;
  /** The answer with all metrics; null for a caller without access. */
  readonly answer: (request: Request) => Promise<Response | null>;
};

/** Creates the function that writes entries to a log and counts them. It never throws, whatever the application's functions do. */
export function entryRecorder({
  log = logLine,
  metrics,
}: {
  readonly log?: (entry: ProxyLogEntry) => void;
  readonly metrics?: MetricsSource;
}): (entry: ProxyLogEntry) => void {
  const [write, count] = [harmless(log), harmless(metrics?.count ?? (() => undefined))];
  return (entry) => {
    write(entry);
    count(entry);
  };
}

/** Wraps a function of the application so that an error in it is ignored: no answer must fail because its log does. */
export function harmless<Value>(log: (value: Value) => void): (value: Value) => void {
  return (value) => {
    try {
      log(value);
    } catch {
      // The log itself failed, so nobody can be told.
    }
  };
}
