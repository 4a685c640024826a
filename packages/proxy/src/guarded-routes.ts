import { type Context, Hono } from 'hono';
import { bodyTypeProblem, measureJson, parseJson } from './guard/body.ts';
import {
  authenticate,
  guard,
  type GuardEnv,
  type GuardOptions,
  noTraces,
  type Principal,
} from './guard/guard.ts';
import { isLoopback } from './guard/hosts.ts';
import { checkOrigins, cors } from './guard/origin.ts';
import { type Problem, problemOf, problems, refuse } from './guard/problems.ts';
import { createQuotas, createStanding, type QuotaOptions, type Quotas } from './guard/quotas.ts';
import { readText, refusalOf } from './guard/read-chunks.ts';
import { causeOf } from './kit/cause-of.ts';
import { wrongSetting } from './kit/env-record.ts';
import {
  entryRecorder,
  type MetricsSource,
  type ProxyLogEntry,
  recordRequests,
} from './operator/request-line.ts';
import { getHealth, getMetrics } from './routes/probes.ts';

/** Options of {@link guardedRoutes}. */
export type GuardedRoutesOptions = Pick<GuardOptions, 'allowedOrigins' | 'allowedHosts' | 'authorize'> & {
  /** Quotas of a principal. Requests are counted, and open streams are its concurrent answers. */
  readonly quotas?: Pick<QuotaOptions, 'requests' | 'concurrent'>;
  /** Called once for each request but probes. Default: one JSON line on standard error. */
  readonly log?: (entry: ProxyLogEntry) => void;
  /** Metrics for `GET /metrics`, e.g. `proxyMetrics`: refusals by code, and open streams. Default: none. */
  readonly metrics?: MetricsSource;
  /** The route that a path names by its end, so that the routes may be mounted under any path; null for none. */
  readonly routeOf: (path: string) => string | null;
  /** The name of a route in logs, without ids. */
  readonly nameOf: (route: string) => string;
  readonly methods: readonly string[];
  /** The reason why this server takes no work, for `/readyz`; null when it does. */
  readonly unready: () => Promise<Problem | null>;
  /** Answers a request that passed the guard. */
  readonly answer: (request: GuardedRequest) => Promise<Response>;
};

/** A request of a known principal. */
export type GuardedRequest = {
  readonly request: Request;
  readonly route: string;
  readonly principal: Principal;
  /** Answers with a problem and notes it in the log, with its cause if there is one. */
  readonly refuse: (problem: Problem, cause?: unknown) => Response;
  /** Reads a JSON body of at most so many bytes. */
  readonly readJson: (
    limits: BodyRules,
  ) => Promise<{ readonly value: unknown } | { readonly refused: Response }>;
  /**
   * Counts the request and takes a place of its principal, until `release` is called. Streams and requests have places of
   * their own: a page that stays open refuses no command.
   */
  readonly enter: (
    kind: 'stream' | 'request',
  ) => Promise<{ readonly release: () => void } | { readonly refused: Response }>;
};

/** The largest size of a JSON body, the longest time for it to arrive, and its deepest nesting. */
export type BodyRules = { readonly bytes: number; readonly ms: number; readonly depth: number };

/** Web-standard routes: serve them with `serveInferenceProxy`, or anything that speaks Request and Response. */
export type GuardedRoutes = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same routes, which also answer to these hosts: for a server that knows its address. */
  readonly withHosts: (hosts: readonly string[]) => GuardedRoutes;
};

/**
 * Puts the guard of the proxy before routes of another package: hosts, origins, CORS, sign-in, quotas, limits of
 * bodies, the request log, `/healthz`, `/readyz` and `/metrics`.
 * @throws AgentError `agent-invalid` without `authorize`, and for invalid origins and quotas
 */
export function guardedRoutes(options: GuardedRoutesOptions): GuardedRoutes {
  if (typeof options.authorize !== 'function')
    throw wrongSetting(
      'Without authorize everybody would read everything. Give a function that says who asks.',
    );
  const quotas = createQuotas(options.quotas);
  const allowedOrigins = checkOrigins(options.allowedOrigins ?? []);
  /** The requests with a place: those that are read, and open streams. */
  const open = new Set<object>();
  const routeOf = (path: string): string =>
    /\/(?:healthz|readyz|metrics)(?=\/?$)/.exec(path)?.[0] ?? options.routeOf(path) ?? path;
  const app = new Hono<GuardEnv>({ getPath: (request) => routeOf(new URL(request.url).pathname) });
  const nameOf = (method: string, route: string): string =>
    options.methods.includes(method) && options.routeOf(route) !== null
      ? `${method} ${options.nameOf(route)}`
      : 'other';

  const { metrics } = options;
  metrics?.watch(() => open.size);
  app.use(recordRequests(entryRecorder(options), nameOf));
  app.use(noTraces);
  app.on(['GET', 'OPTIONS'], '/healthz', getHealth);
  app.on(['GET', 'OPTIONS'], '/readyz', async (context) => {
    const problem = await options.unready();
    return problem === null ? context.json({ status: 'ready' }) : refuse(context, problem);
  });
  app.get('/metrics', getMetrics(metrics));
  app.use(guard(allowedOrigins));
  app.use(cors(allowedOrigins, { methods: options.methods, headers: ['ratelimit', 'ratelimit-policy'] }));
  app.use(authenticate(options.authorize));
  app.all('*', (context) => {
    const path = new URL(context.req.url).pathname;
    const route = options.routeOf(path);
    return route === null
      ? refuse(context, problems.notFound)
      : options.answer(guardedRequest(context, route, { quotas, open }));
  });
  app.onError((error, asked) => refuse(asked, problems.internal, { cause: causeOf(error) }));

  const answeringTo = (allowedHosts: readonly string[] | null): GuardedRoutes => ({
    fetch: async (request) => app.fetch(request, { allowedHosts }),
    withHosts(hosts) {
      // Only pages of this machine reach a server on loopback, by whatever name.
      const own = allowedHosts ?? (hosts.some(isLoopback) ? [] : null);
      return answeringTo(own && [...own, ...hosts]);
    },
  });
  return answeringTo(options.allowedHosts ?? null);
}

function guardedRequest(
  context: Context<GuardEnv>,
  route: string,
  { quotas, open }: { quotas: Quotas; open: Set<object> },
): GuardedRequest {
  const request = context.req.raw;
  const principal = context.get('principal');
  return {
    request,
    route,
    principal,
    refuse: (problem, cause) =>
      refuse(context, problem, cause === undefined ? {} : { cause: causeOf(cause) }),
    async readJson({ bytes: maxBytes, ms: maxMs, depth: most }) {
      const problem = bodyTypeProblem(request.headers);
      if (problem !== null) return { refused: refuse(context, problem) };
      const read = await readText(request, { maxBytes, maxMs });
      if ('refused' in read) {
        const refused = refusalOf(read, tooLarge(read.bytes, maxBytes), problems.notJson);
        return { refused: refuse(context, refused) };
      }
      const { depth } = measureJson(read.text);
      if (depth > most) return { refused: refuse(context, problems.tooDeep(depth, most)) };
      const value = parseJson(read.text);
      if (value !== undefined) return { value };
      return { refused: refuse(context, read.bytes === 0 ? problems.noBody : problems.notJson) };
    },
    async enter(kind) {
      const standing = createStanding();
      const admission = await quotas.enter(principal.id, standing, kind);
      for (const [name, value] of Object.entries(standing.headers())) context.header(name, value);
      if ('problem' in admission) return { refused: refuse(context, admission.problem) };
      const place = {
        release() {
          open.delete(place);
          admission.settle(null);
        },
      };
      open.add(place);
      return place;
    },
  };
}

function tooLarge(bytes: number, most: number): Problem {
  const detail = `The request takes ${bytes} bytes or more; this server takes ${most}. Send less at once.`;
  return problemOf([413, 'body-too-large', 'Request too large'], detail);
}
