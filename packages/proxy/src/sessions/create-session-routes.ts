import { AgentError } from '@vitrine/core';
import { Hono } from 'hono';
import { authenticate } from '../guard/authenticate.ts';
import { cors } from '../guard/cors.ts';
import { guard } from '../guard/guard.ts';
import { noTraces } from '../guard/no-traces.ts';
import { checkOrigins } from '../guard/origin.ts';
import { harmless } from '../harmless.ts';
import { causeOf } from '../cause-of.ts';
import { logLine } from '../operator/log-entry.ts';
import { recordRequests } from '../operator/record-requests.ts';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/refuse.ts';
import { refusalsOnly } from './refusals-only.ts';
import { deleteSession } from './routes/delete-session.ts';
import { getFile } from './routes/get-file.ts';
import { getSession, getSessionHead } from './routes/get-session.ts';
import { getSessions } from './routes/get-sessions.ts';
import { postSessionRecords } from './routes/post-session-records.ts';
import { postSessionRows } from './routes/post-session-rows.ts';
import { putSessionFile } from './routes/put-session-file.ts';
import { putSession } from './routes/put-session.ts';
import { unembeddable } from './unembeddable.ts';
import { fileTypeHeader } from './session-file.ts';
import { sessionProblems } from './session-problems.ts';
import { sessionRoute } from './session-route.ts';
import { sessionLimits, type SessionRoutes, type SessionRoutesOptions } from './session-routes-options.ts';
import type { SessionsContext, SessionsEnv } from './sessions-context.ts';

/**
 * The server part of `httpSessions`: `GET /v1/sessions`, `GET`, `PUT` and `DELETE /v1/sessions/:id`, its `/head`,
 * `/rows`, `/records` and `/files/:hash`, and `GET /v1/sessions/files/:hash`, each of them under any path. A session belongs to the principal that wrote it first; for
 * others there is none of that id. What sessions hold is not looked into: heads are checked for what they are of, and
 * what the rows say is checked by whoever reads them.
 * @throws AgentError `agent-invalid` without `authorize`, and for origins and limits that are none.
 */
export function createSessionRoutes(options: SessionRoutesOptions): SessionRoutes {
  if (typeof options.authorize !== 'function') {
    const message =
      'createSessionRoutes: without authorize everybody would read everything. Give a function that says who asks.';
    throw new AgentError('agent-invalid', message);
  }
  const sessions: SessionsContext = { limits: sessionLimits(options.limits) };
  const allowedOrigins = checkOrigins(options.allowedOrigins ?? []);
  const app = new Hono<SessionsEnv>({ getPath: (request) => sessionRoute(new URL(request.url).pathname) });

  app.use(recordRequests(refusalsOnly(harmless(options.log ?? logLine))));
  app.use(noTraces());
  app.use(unembeddable());
  app.use(guard(allowedOrigins));
  app.use(
    cors(allowedOrigins, {
      methods: ['GET', 'PUT', 'POST', 'DELETE'],
      headers: ['etag', 'x-session-durability', fileTypeHeader],
    }),
  );
  app.use(authenticate(options.authorize));
  app.use(async (context, next) => {
    const rows = options.store.rows(context.get('principal').id);
    context.set('rows', rows);
    await next();
    context.header('x-session-durability', rows.durability);
  });
  app.use('/v1/sessions/:id/*', async (context, next) =>
    /^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,127}$/.test(context.req.param('id'))
      ? next()
      : refuse(context, sessionProblems.invalidId),
  );
  app.get('/v1/sessions', getSessions());
  app.get('/v1/sessions/files/:hash{[0-9a-f]+}', getFile());
  app.get('/v1/sessions/:id', getSession());
  app.put('/v1/sessions/:id', putSession(sessions));
  app.delete('/v1/sessions/:id', deleteSession());
  app.get('/v1/sessions/:id/head', getSessionHead());
  app.put('/v1/sessions/:id/files/:hash', putSessionFile(sessions));
  app.post('/v1/sessions/:id/rows', postSessionRows(sessions));
  app.post('/v1/sessions/:id/records', postSessionRecords(sessions));
  app.notFound((asked) => refuse(asked, problems.notFound));
  // Whatever the store could not do; nothing else in here throws.
  app.onError((error, asked) => refuse(asked, sessionProblems.storage, { cause: causeOf(error) }));

  /** The routes for some hosts; null for all. */
  const answeringTo = (allowedHosts: readonly string[] | null): SessionRoutes => ({
    fetch: async (request) => app.fetch(request, { allowedHosts }),
    withHosts: (hosts) => answeringTo(allowedHosts && [...allowedHosts, ...hosts]),
  });
  return answeringTo(options.allowedHosts ?? null);
}
