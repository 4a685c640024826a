import { Hono } from 'hono';
import { limitBody } from './guard/body.ts';
import { type GuardEnv, guard } from './guard/guard.ts';
import type { InferenceProxy, InferenceProxyOptions } from './inference-proxy.ts';
import { problems } from './problems/problems.ts';
import { createProxyContext } from './proxy-context.ts';
import { deleteInference } from './routes/delete-inference.ts';
import { getHealth } from './routes/get-health.ts';
import { getInference } from './routes/get-inference.ts';
import { getModels } from './routes/get-models.ts';
import { postInference } from './routes/post-inference.ts';
import { routeOf } from './routes/route-of.ts';

/**
 * The proxy that keeps the keys: `POST /v1/inference`, `GET` and `DELETE /v1/inference/:id`, `GET /v1/models`,
 * `GET /healthz`, each of them under any path.
 * @throws AgentError `agent-invalid` without models, or with a default that is not one of them.
 */
export function createInferenceProxy(options: InferenceProxyOptions): InferenceProxy {
  const context = createProxyContext(options);
  const app = new Hono<GuardEnv>({ getPath: (request) => routeOf(new URL(request.url).pathname) });

  // Asked by name and address of the machine that it runs on, by nobody who could be signed in.
  app.get('/healthz', getHealth());
  app.use(guard(context, options));
  app.get('/v1/models', getModels(context));
  app.post('/v1/inference', limitBody(context, options.maxBodyBytes), postInference(context));
  app.get('/v1/inference/:id', getInference(context));
  app.delete('/v1/inference/:id', deleteInference(context));
  app.notFound(() => context.refuse(problems.notFound));
  app.onError(() => context.refuse(problems.internal));

  /** The proxy for some hosts; null for all. */
  const answeringTo = (allowedHosts: readonly string[] | null): InferenceProxy => ({
    fetch: async (request) => app.fetch(request, { allowedHosts }),
    withHosts: (hosts) => answeringTo(allowedHosts && [...allowedHosts, ...hosts]),
  });
  return answeringTo(options.allowedHosts ?? (options.authorize ? null : []));
}
