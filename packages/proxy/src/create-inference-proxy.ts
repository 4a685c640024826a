import { Hono } from 'hono';
import { authenticate, guard, type GuardEnv, noTraces } from './guard/guard.ts';
import { cors, checkOrigins } from './guard/origin.ts';
import type { InferenceProxy, InferenceProxyOptions, SettledOptions } from './inference-proxy.ts';
import { causeOf } from './kit/cause-of.ts';
import { recordRequests } from './operator/request-line.ts';
import { problems, refuse } from './guard/problems.ts';
import { createProxyContext } from './routes/proxy-context.ts';
import { checkOptions } from './check-options.ts';
import { proxyOptionsFromEnv } from './proxy-options-from-env.ts';
import { getHealth, getReadiness, getMetrics } from './routes/probes.ts';
import { deleteInference, getInference } from './routes/get-inference.ts';
import { getModels } from './routes/get-models.ts';
import { postInference } from './routes/post-inference.ts';
import { StreamLogFailure } from './stream/stream-log.ts';

/**
 * The proxy that keeps the keys. It serves `POST /v1/inference`, `GET` and `DELETE /v1/inference/:id`, `GET
 * /v1/models`, `GET /healthz`, `/readyz` and `/metrics`, each under any path. Without `models` it reads the environment
 * for all options that are not given: {@link modelsFromEnv} and {@link optionsFromEnv}.
 * @throws AgentError `agent-invalid` for an unknown option, without models, with a default that is not one of them, and for
 * invalid limits, quotas or origins.
 */
export function createInferenceProxy(given: InferenceProxyOptions = {}): InferenceProxy {
  checkOptions(given);
  const options = withModels(given);
  const context = createProxyContext(options);
  const app = new Hono<GuardEnv>({ getPath: (request) => routeOf(new URL(request.url).pathname) });

  const allowedOrigins = checkOrigins(options.allowedOrigins ?? []);

  app.use(recordRequests(context.log));
  app.use(noTraces);
  // Load balancers ask by the machine's name and address and cannot sign in.
  app.on(['GET', 'OPTIONS'], '/healthz', getHealth);
  app.get('/metrics', getMetrics(options.metrics));
  app.on(['GET', 'OPTIONS'], '/readyz', getReadiness(context));
  app.use(guard(allowedOrigins));
  app.use(
    cors(allowedOrigins, {
      methods: ['GET', 'POST', 'DELETE'],
      headers: ['x-inference-id', 'ratelimit', 'ratelimit-policy'],
    }),
  );
  app.use(authenticate(options.authorize));
  app.get('/v1/models', getModels(context));
  app.post('/v1/inference', postInference(context));
  app.get('/v1/inference/:id', getInference(context));
  app.delete('/v1/inference/:id', deleteInference(context));
  app.notFound((asked) => refuse(asked, problems.notFound));
  app.onError((error, asked) => {
    const problem = error instanceof StreamLogFailure ? problems.streamLogUnreachable : problems.internal;
    return refuse(asked, problem, { cause: causeOf(error) });
  });

  /** The proxy for the given hosts; null allows all. */
  const answeringTo = (allowedHosts: readonly string[] | null): InferenceProxy => ({
    fetch: async (request) => app.fetch(request, { allowedHosts }),
    close: ({ graceMs = 10_000 } = {}) => context.inferences.running.close(graceMs),
    withHosts: (hosts) => answeringTo(allowedHosts && [...allowedHosts, ...hosts]),
  });
  return answeringTo(options.allowedHosts ?? (options.authorize ? null : []));
}

function withModels(given: InferenceProxyOptions): SettledOptions {
  if (given.models !== undefined) return { ...given, models: given.models };
  const ofEnvironment = proxyOptionsFromEnv();
  return { ...ofEnvironment, ...given, models: ofEnvironment.models };
}

/** The route that a path names by its end, under whatever path the proxy is mounted. Any other path is unchanged. */
export function routeOf(path: string): string {
  const known = /\/(?:v1\/inference(?:\/[^/]+)?|v1\/models|healthz|readyz|metrics)(?=\/?$)/;
  return known.exec(path)?.[0] ?? path;
}
