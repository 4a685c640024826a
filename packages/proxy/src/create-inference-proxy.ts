import { AgentError } from '@vitrine/core';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ProxyModel } from './models/proxy-model.ts';
import { hostOf, isOwnHost } from './guard/hosts.ts';
import { eventStream } from './protocol/event-stream.ts';
import type { EventReader } from './protocol/event-log.ts';
import { type InferenceLog, startInference } from './protocol/inference-log.ts';
import { isForeignOrigin } from './protocol/origin-check.ts';
import { logLine, type ProxyLogEntry } from './protocol/log-entry.ts';
import { type Problem, problemResponse, upstreamProblem } from './protocol/problem.ts';
import { problems } from './protocol/problems.ts';
import { parseRequest } from './protocol/request-schema.ts';

export type InferenceProxyOptions = {
  /** What clients may ask for; nothing else is served. */
  models: readonly ProxyModel[];
  /** Default: the first model. */
  defaultModel?: string;
  /** Default: 1 MiB. */
  maxBodyBytes?: number;
  /** Origins of other sites whose pages may use the proxy. Default: none. */
  allowedOrigins?: readonly string[];
  /**
   * The names and addresses that this proxy answers to, besides those of this machine (`localhost`, `127.0.0.1`,
   * `[::1]`): `chat.example` at any port, `chat.example:8443` at that one. A request for another host is refused,
   * because a page of another site can let its own name point here. Default: none, or any host with `authorize`.
   */
  allowedHosts?: readonly string[];
  /** Lets a request through, or not; ask your own sign-in here. Default: everybody. */
  authorize?: (request: Request) => boolean | Promise<boolean>;
  /** Default: one JSON line on standard error. */
  log?: (entry: ProxyLogEntry) => void;
  /** Longest wait for the first event of an upstream. Default: 60 s. */
  firstEventTimeoutMs?: number;
  /** Longest wait between two events of an upstream. Default: 60 s. */
  eventTimeoutMs?: number;
  /** How long an inference goes on without a reader, so that a client may come back. Default: 0, it ends at once. */
  resumeGraceMs?: number;
  /** How long a finished stream can be read again. Default: 2 minutes. */
  keepFinishedMs?: number;
};

/** Web-standard: serve it with any server that speaks Request and Response. */
export type InferenceProxy = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same proxy, answering to these hosts too: for a server that knows where it listens. */
  readonly withHosts: (hosts: readonly string[]) => InferenceProxy;
};

/** Finished streams that are kept at most, so that memory stays bounded. */
const maxKept = 200;

/**
 * The proxy that keeps the keys: `POST /v1/inference`, `GET` and `DELETE /v1/inference/:id`, `GET /v1/models`, `GET /healthz`.
 * @throws AgentError `agent-invalid` without models, or with a default that is not one of them.
 */
export function createInferenceProxy(options: InferenceProxyOptions): InferenceProxy {
  const { models, allowedOrigins = [], authorize = () => true, log = logLine } = options;
  const {
    resumeGraceMs = 0,
    keepFinishedMs = 120_000,
    firstEventTimeoutMs = 60_000,
    eventTimeoutMs = 60_000,
  } = options;
  const defaultModel = models.find((model) => model.id === (options.defaultModel ?? models[0]?.id));
  if (!defaultModel) {
    throw new AgentError(
      'agent-invalid',
      'createInferenceProxy: give at least one model, and a defaultModel that is one of them.',
    );
  }
  const running = new Map<string, InferenceLog>();
  const app = new Hono<{ Bindings: { allowed: readonly string[] | null } }>();

  const fail = (
    problem: Problem,
    startedAt: number,
    about: { id?: string; model?: string | null } = {},
  ): Response => {
    log({
      id: about.id ?? null,
      code: problem.code,
      status: problem.status,
      model: about.model ?? null,
      ms: Date.now() - startedAt,
    });
    return problemResponse(problem);
  };

  app.use(async (context, next) => {
    const { allowed } = context.env;
    if (context.req.path !== '/healthz' && allowed !== null && !isOwnHost(context.req.raw, allowed))
      return fail(problems.foreignHost(hostOf(context.req.raw)), Date.now());
    const isUnsafe = context.req.method !== 'GET' && context.req.method !== 'HEAD';
    if (isUnsafe && isForeignOrigin(context.req.raw, allowedOrigins))
      return fail(problems.foreignOrigin, Date.now());
    if (context.req.path !== '/healthz' && !(await authorize(context.req.raw)))
      return fail(problems.unauthorized, Date.now());
    await next();
    return undefined;
  });

  app.get('/healthz', (context) => context.json({ status: 'ok' }));

  app.get('/v1/models', (context) =>
    context.json({
      models: models.map(({ id, name, provider }) => ({
        id,
        name,
        provider,
        default: id === defaultModel.id,
      })),
    }),
  );

  app.post(
    '/v1/inference',
    bodyLimit({
      maxSize: options.maxBodyBytes ?? 1024 * 1024,
      onError: () => fail(problems.tooLarge, Date.now()),
    }),
    async (context) => {
      const startedAt = Date.now();
      if (!/^application\/json\b/i.test(context.req.header('content-type') ?? ''))
        return fail(problems.notJsonType, startedAt);
      const body: unknown = await context.req.json().catch(() => undefined);
      if (body === undefined) return fail(problems.notJson, startedAt);
      const parsed = parseRequest(body);
      if ('issue' in parsed) return fail(problems.invalid(parsed.issue), startedAt);
      const { request } = parsed;
      const model =
        request.model === null ? defaultModel : models.find((candidate) => candidate.id === request.model);
      if (!model) return fail(problems.unknownModel(models), startedAt);

      const id = crypto.randomUUID();
      let isStreaming = false;
      const inference = startInference({
        id,
        client: model.client,
        request: { ...request, model: model.id },
        firstEventTimeoutMs,
        eventTimeoutMs,
        resumeGraceMs,
        onOver(last) {
          keepForAWhile(id);
          // A stream that has begun has its status already; that it failed afterwards is still worth a line.
          if (isStreaming && last?.type === 'error') {
            log({ id, code: last.code, status: 200, model: model.id, ms: Date.now() - startedAt });
          }
        },
      });
      running.set(id, inference);
      const reader = openReader(inference, 0, context.req.raw);
      // Held back until the first event, so that a failing upstream can still be answered with a status.
      const first = await inference.first();
      if (first === null || first.type === 'error') {
        reader.close();
        const problem = first === null ? problems.cancelled : upstreamProblem(first);
        return fail(problem, startedAt, { id, model: model.id });
      }
      isStreaming = true;
      return eventStream(id, reader);
    },
  );

  app.get('/v1/inference/:id', (context) => {
    const inference = running.get(context.req.param('id'));
    if (!inference) return fail(problems.unknownInference, Date.now());
    const last = context.req.header('last-event-id');
    const offset = last === undefined || !/^\d{1,9}$/.test(last) ? 0 : Number(last) + 1;
    return eventStream(inference.id, openReader(inference, offset, context.req.raw));
  });

  app.delete('/v1/inference/:id', (context) => {
    const inference = running.get(context.req.param('id'));
    if (!inference) return fail(problems.unknownInference, Date.now());
    inference.cancel();
    return context.body(null, 204);
  });

  app.notFound(() => fail(problems.notFound, Date.now()));
  app.onError(() => fail(problems.internal, Date.now()));

  function keepForAWhile(id: string): void {
    const timer: unknown = setTimeout(() => running.delete(id), keepFinishedMs);
    (timer as { unref?: () => void }).unref?.();
    if (running.size <= maxKept) return;
    const oldest = [...running.values()].find((inference) => inference.isOver());
    if (oldest) running.delete(oldest.id);
  }

  /** The proxy for some hosts; null for all. */
  const answeringTo = (allowed: readonly string[] | null): InferenceProxy => ({
    fetch: async (request) => app.fetch(request, { allowed }),
    withHosts: (hosts) => answeringTo(allowed && [...allowed, ...hosts]),
  });
  return answeringTo(options.allowedHosts ?? (options.authorize ? null : []));
}

/** A reader that leaves with its client: also before there is a body that could be cancelled. */
function openReader(inference: InferenceLog, offset: number, { signal }: Request): EventReader {
  const reader = inference.open(offset);
  if (signal.aborted) reader.close();
  else signal.addEventListener('abort', () => reader.close(), { once: true });
  return reader;
}
