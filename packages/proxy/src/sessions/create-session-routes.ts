import { isSessionId } from '@vitrine/core/internal/kit/ids';
import { wrongSetting } from '../kit/env-record.ts';
import { type Handler, Hono, type MiddlewareHandler } from 'hono';
import { authenticate, guard, type GuardEnv, noTraces } from '../guard/guard.ts';
import { checkOrigins, cors } from '../guard/origin.ts';
import { harmless, logLine, type ProxyLogEntry, recordRequests } from '../operator/request-line.ts';
import { causeOf } from '../kit/cause-of.ts';
import { problems, refuse } from '../guard/problems.ts';
import { getHealth } from '../routes/probes.ts';
import { holdingBody, holdingPlace } from './places.ts';
import { deleteSession, postSessionRecords, putSession } from './routes/write-session.ts';
import { getFile, putSessionFile } from './routes/session-files.ts';
import { getSession, getSessionHead, getSessions, postSessionRows } from './routes/read-session.ts';
import { fileTypeHeader } from './session-body.ts';
import { sessionProblems } from './session-problems.ts';
import { SessionQuotaError } from './row-pages.ts';
import {
  sessionLimits,
  type SessionRoutes,
  type SessionRoutesOptions,
  type SessionsEnv,
} from './session-routes-options.ts';
import { within } from '../kit/time.ts';

/**
 * The server part of `httpSessions`: `GET /v1/sessions`, `GET`, `PUT` and `DELETE /v1/sessions/:id`, its `/head`,
 * `/rows`, `/records` and `/files/:hash`, `GET /v1/sessions/files/:hash`, `/healthz` and `/readyz`, each under any
 * path. A session belongs to the principal that wrote it first; for others the id is free. The routes check heads, but
 * not the content of rows, which the reader of a session checks.
 * @throws AgentError `agent-invalid` without `authorize`, and for origins and limits that are none.
 */
export function createSessionRoutes(options: SessionRoutesOptions): SessionRoutes {
  if (typeof options.authorize !== 'function') {
    const message =
      'createSessionRoutes: without authorize everybody would read everything. Give a function that says who asks.';
    throw wrongSetting(message);
  }
  const limits = sessionLimits(options.limits);
  const allowedOrigins = checkOrigins(options.allowedOrigins ?? []);
  const app = new Hono<SessionsEnv>({ getPath: (request) => sessionRoute(new URL(request.url).pathname) });

  app.use(recordRequests(refusalsOnly(harmless(options.log ?? logLine))));
  app.use(noTraces);
  app.use(unembeddable);
  app.on(['GET', 'OPTIONS'], '/healthz', getHealth);
  app.on(['GET', 'OPTIONS'], '/readyz', getStoreReadiness(options.store));
  app.use(guard(allowedOrigins));
  app.use(
    cors(allowedOrigins, {
      methods: ['GET', 'PUT', 'POST', 'DELETE'],
      headers: ['etag', 'x-session-durability', fileTypeHeader],
    }),
  );
  app.use(authenticate(options.authorize));
  app.use('/v1/*', async (context, next) => {
    const rows = options.store.rows(context.get('principal').id, limits);
    context.set('rows', rows);
    await next();
    context.header('x-session-durability', rows.durability);
  });
  app.use('/v1/sessions/:id/*', async (context, next) =>
    isStorageName(context.req.param('id')) ? next() : refuse(context, sessionProblems.invalidId),
  );
  const [place, body] = [holdingPlace(limits), holdingBody(limits)];
  app.get('/v1/sessions', place, getSessions);
  app.get('/v1/sessions/files/:hash{[0-9a-f]+}', place, getFile);
  app.get('/v1/sessions/:id', place, getSession);
  app.put('/v1/sessions/:id', body, putSession(limits));
  app.delete('/v1/sessions/:id', deleteSession);
  app.get('/v1/sessions/:id/head', getSessionHead);
  app.put('/v1/sessions/:id/files/:hash', body, putSessionFile(limits));
  app.post('/v1/sessions/:id/rows', body, place, postSessionRows(limits));
  app.post('/v1/sessions/:id/records', body, postSessionRecords(limits));
  app.notFound((asked) => refuse(asked, problems.notFound));
  // Only the store throws in here.
  app.onError((error, asked) =>
    error instanceof SessionQuotaError
      ? refuse(asked, sessionProblems.quota(error.limit, limits[error.limit]))
      : refuse(asked, sessionProblems.storage, { cause: causeOf(error) }),
  );

  /** The routes for the given hosts; null allows all. */
  const answeringTo = (allowedHosts: readonly string[] | null): SessionRoutes => ({
    fetch: async (request) => app.fetch(request, { allowedHosts }),
    withHosts: (hosts) => answeringTo(allowedHosts && [...allowedHosts, ...hosts]),
  });
  return answeringTo(options.allowedHosts ?? null);
}

/** True for a percent-encoded session id, and for one with a `-` in front, which names its outbox. */
function isStorageName(name: string): boolean {
  try {
    return /^[\w%-]+$/.test(name) && isSessionId(decodeURIComponent(name.replace(/^-/, '')));
  } catch {
    return false;
  }
}

/** A log of refusals, except for sessions that do not exist: a client asks for a new session first. */
function refusalsOnly(log: (entry: ProxyLogEntry) => void): (entry: ProxyLogEntry) => void {
  return (entry) => {
    if (entry.code !== null && entry.code !== sessionProblems.unknown.code) log(entry);
  };
}

/** The session route that a path names by its end, wherever it is mounted. Any other path is unchanged. */
function sessionRoute(path: string): string {
  return routes.exec(path)?.[0] ?? /\/(?:healthz|readyz)(?=\/?$)/.exec(path)?.[0] ?? path;
}

/** The list, a file, and a session with its parts. */
const routes =
  /\/v1\/sessions(?:\/files\/[0-9a-f]+|\/[^/]+(?:\/(?:head|rows|records|files\/[^/]+))?)?(?=\/?$)/;

/** Keeps other sites from embedding answers without CORS, whose arrival would tell them which files a user has. */
const unembeddable: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('cross-origin-resource-policy', 'same-origin');
};

/** The longest wait for the store, in milliseconds. */
const readyMs = 1000;

/** `GET /readyz`: 503 when the store does not answer within a second. */
function getStoreReadiness(store: SessionRoutesOptions['store']): Handler<GuardEnv> {
  return async (context) => {
    const asked = Promise.resolve()
      .then(() => store.rows('').head('readyz'))
      .then(() => true);
    const isReady = await within(readyMs, asked, false);
    return isReady ? context.json({ status: 'ready' }) : refuse(context, sessionProblems.storage);
  };
}
