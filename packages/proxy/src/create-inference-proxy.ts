import { checkedPrice } from '@vitrine/core/internal/graph/llm-config';
import { present } from '@vitrine/core/internal/kit/json';
import { type Handler, Hono } from 'hono';
import { authenticate, guard, type GuardEnv, modelsOf, noTraces } from './guard/guard.ts';
import { checkOrigins, cors } from './guard/origin.ts';
import { problems, refuse } from './guard/problems.ts';
import type { InferenceProxy, InferenceProxyOptions, SettledOptions } from './inference-proxy.ts';
import { causeOf } from './kit/cause-of.ts';
import { wrongSetting } from './kit/env-record.ts';
import { nearestNames } from './kit/text.ts';
import { recordRequests } from './operator/request-line.ts';
import { proxyOptionsFromEnv } from './proxy-options-from-env.ts';
import { deleteInference, getInference } from './routes/get-inference.ts';
import { postInference } from './routes/post-inference.ts';
import { getHealth, getMetrics, getReadiness } from './routes/probes.ts';
import { createProxyContext, type ProxyContext } from './routes/proxy-context.ts';
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

/**
 * `GET /v1/models`: the models that the caller may use, as `{ models: { id, name, provider, default, reasoning?, accepts?,
 * price? }[] }`; `reasoning` lists the levels of a model that supports them, `accepts` the media types of the files that
 * it takes, and `price` is per million tokens.
 */
function getModels(proxy: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    const { models, defaultModel } = modelsOf(context.get('principal'), await proxy.catalog());
    const list = models.map(async ({ id, name, provider, client, reasoning, price, accepts }) => {
      const types = accepts ?? (await client.accepts?.(id));
      return {
        id,
        name,
        provider,
        default: id === defaultModel?.id,
        ...present({ reasoning, accepts: types, price }),
      };
    });
    return context.json({ models: await Promise.all(list) });
  };
}

const names: Readonly<Record<keyof InferenceProxyOptions, true>> = {
  models: true,
  defaultModel: true,
  authorize: true,
  allowedHosts: true,
  allowedOrigins: true,
  allowedFileHosts: true,
  resolveHost: true,
  limits: true,
  quotas: true,
  streamLog: true,
  log: true,
  metrics: true,
  onStreamEnd: true,
};

/** Checks for JavaScript what compilers check. @throws AgentError `agent-invalid` with the option that is wrong */
function checkOptions(options: InferenceProxyOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(names, name) || value === undefined) continue;
    const [nearest] = nearestNames(name, Object.keys(names), 1);
    const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    throw wrongSetting(
      `createInferenceProxy: there is no option ${JSON.stringify(name)}.${meant} The options are ${Object.keys(names).join(', ')}.`,
    );
  }
  const { authorize, models } = options;
  if (authorize !== undefined && typeof authorize !== 'function')
    throw wrongSetting(
      `createInferenceProxy: authorize is ${showValue(authorize)}. Give a function that returns { id }, or null for nobody.`,
    );
  if (models !== undefined) checkModels(models);
}

function checkModels(models: unknown): void {
  if (!Array.isArray(models))
    throw wrongSetting(
      `createInferenceProxy: models is ${showValue(models)}. Give a list, like modelsFromEnv(process.env), or leave it out for the models of the environment.`,
    );
  for (const [index, model] of (models as readonly unknown[]).entries()) {
    const { id, client, price } = (typeof model === 'object' && model !== null ? model : {}) as {
      id?: unknown;
      client?: { stream?: unknown };
      price?: unknown;
    };
    if (price !== undefined && checkedPrice(price) === null)
      throw wrongSetting(
        `createInferenceProxy: models[${index}].price holds an amount that is missing, negative or no number. Give { input, output } in dollars for a million tokens, and also cacheRead, cacheWrite, cacheWriteHour and above: { tokens, input, output } where the provider has them; or leave the price out.`,
      );
    if (typeof id === 'string' && typeof client?.stream === 'function') continue;
    throw wrongSetting(
      `createInferenceProxy: models[${index}] is ${showValue(model)}, which is no model of a proxy. Give { id, name, provider, client }, where client is fromLanguageModel(model) for a model of the AI SDK; or name models in VITRINE_MODELS and give modelsFromEnv(process.env).`,
    );
  }
}

/** A value in at most 100 characters. Functions and objects are named by their kind, because they may hold keys. */
function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  return value === null || typeof value !== 'object' ? String(typeof value) : 'an object';
}
