import { isIP } from 'node:net';
import { present } from '@vitrine/core/internal/kit/json';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { type EnvRecord, valueOf, wrongSetting } from '../kit/env-record.ts';
import type { Authorize } from '../guard/guard.ts';
import { quotasFromEnv } from '../guard/options-from-env.ts';
import type { InferenceProxyOptions, SettledOptions } from '../inference-proxy.ts';
import type { ModelsFromEnvOptions } from '../providers/models-from-env.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { modelsAndOptions } from '../proxy-options-from-env.ts';
import { createSessionRoutes } from '../sessions/create-session-routes.ts';
import { type InferenceServer, type Servable, serveInferenceProxy } from './serve-inference-proxy.ts';
import { sessionsFromEnv, streamLogFromEnv } from './storage-from-env.ts';

/**
 * Serves the models, limits, quotas, sign-in, stores and address of the environment: `modelsFromEnv`, `optionsFromEnv`,
 * sign-in (`VITRINE_JWKS_URL`, `VITRINE_JWT_ISSUER`, `VITRINE_JWT_AUDIENCE`), the log of streams
 * (`VITRINE_STREAM_LOG`), which also holds the quotas of all processes, sessions (`VITRINE_SESSIONS`), and the address
 * (`HOST`, `PORT`; by default 127.0.0.1 and 8787). `options` take precedence over the environment. `close` closes all
 * of it.
 * @throws AgentError `agent-invalid` with a sentence for every value that means nothing.
 */
export async function serveFromEnv(
  env: EnvRecord = process.env,
  options: Partial<InferenceProxyOptions> = {},
): Promise<InferenceServer & { readonly models: readonly ProxyModel[] }> {
  const where = { host: hostFrom(env), port: checkedPort('PORT', valueOf(env, 'PORT') ?? '8787') };
  const { served, models, allowedHosts, close } = await proxyFromEnv(env, options);
  const server = await serveInferenceProxy(served, { ...where, allowedHosts });
  return {
    url: server.url,
    models,
    async close(how) {
      await server.close(how);
      await close();
    },
  };
}

/** A proxy with the routes of sessions, as the environment sets them up. */
export type ProxyFromEnv = {
  readonly served: Servable;
  readonly models: readonly ProxyModel[];
  readonly allowedHosts: readonly string[];
  /** Closes the stores, once the proxy itself is closed. */
  readonly close: () => Promise<void>;
};

/** The proxy of {@link serveFromEnv}, without an address. @throws AgentError `agent-invalid` as it does */
export async function proxyFromEnv(
  env: EnvRecord,
  options: Partial<InferenceProxyOptions>,
  how: ModelsFromEnvOptions = {},
): Promise<ProxyFromEnv> {
  const isGiven = options.models !== undefined;
  const own = modelsAndOptions(env, { ...how, offline: isGiven || how.offline === true });
  const authorize = options.authorize ?? (await authorizeFromEnv(env));
  if (valueOf(env, 'VITRINE_SESSIONS') !== undefined && authorize === undefined)
    throw wrongSetting(
      'VITRINE_SESSIONS is set without a sign-in: everybody would read everything. Set VITRINE_JWKS_URL, or give serveFromEnv an authorize.',
    );
  const shared = await streamLogFromEnv(env);
  const sessions = await sessionsFromEnv(env);
  const quotas = shared === null ? own.quotas : quotasFromEnv(env, shared.limiter);
  const all: SettledOptions = {
    ...own,
    ...present({ quotas, streamLog: shared?.streamLog, authorize }),
    ...options,
    models: options.models ?? own.models,
  };
  const proxy = createInferenceProxy(all);
  const { log, allowedHosts, allowedOrigins } = all;
  const routes =
    sessions === null || authorize === undefined
      ? null
      : createSessionRoutes({
          store: sessions.store,
          authorize,
          ...present({ log, allowedHosts, allowedOrigins }),
        });
  return {
    served: routes === null ? proxy : together(proxy, routes),
    models: all.models,
    allowedHosts: allowedHosts ?? [],
    async close() {
      await sessions?.close();
      await shared?.close();
    },
  };
}

/** Serves answers and sessions under one address. */
function together(proxy: Servable, routes: Servable): Servable {
  return {
    withHosts(hosts) {
      const [answers, sessions] = [proxy.withHosts(hosts), routes.withHosts(hosts)];
      return {
        fetch: (request) =>
          new URL(request.url).pathname.includes('/v1/sessions')
            ? sessions.fetch(request)
            : answers.fetch(request),
      };
    },
    ...(proxy.close && { close: proxy.close }),
  };
}

/** The sign-in by bearer tokens from the environment; undefined when it is not configured. */
async function authorizeFromEnv(env: EnvRecord): Promise<Authorize | undefined> {
  const jwksUrl = valueOf(env, 'VITRINE_JWKS_URL');
  const issuer = valueOf(env, 'VITRINE_JWT_ISSUER');
  const audience = valueOf(env, 'VITRINE_JWT_AUDIENCE');
  if (jwksUrl === undefined && issuer === undefined && audience === undefined) return undefined;
  if (jwksUrl === undefined || !URL.canParse(jwksUrl) || !/^https?:$/.test(new URL(jwksUrl).protocol))
    throw wrongSetting(
      `VITRINE_JWKS_URL is ${JSON.stringify(jwksUrl ?? '')}; give the address of the issuer's keys, like https://id.example/.well-known/jwks.json.`,
    );
  if (issuer === undefined || audience === undefined)
    throw wrongSetting(
      'VITRINE_JWKS_URL is set; set VITRINE_JWT_ISSUER and VITRINE_JWT_AUDIENCE too: a token for another service of the same issuer must not open this one.',
    );
  const { bearerAuth } = await import('../guard/bearer-auth.ts').catch((cause: unknown) => {
    const message = 'VITRINE_JWKS_URL needs the package jose. Install it: npm install jose.';
    throw wrongSetting(message, { cause });
  });
  return bearerAuth({ jwksUrl, issuer, audience });
}

/** The address to listen on: a name or an IP address. Node would look for a name that holds a scheme or a port. */
function hostFrom(env: EnvRecord): string {
  const host = valueOf(env, 'HOST') ?? '127.0.0.1';
  if (isIP(host) !== 0 || /^[\w-]+(?:\.[\w-]+)*\.?$/.test(host)) return host;
  throw wrongSetting(
    `HOST is ${JSON.stringify(host)}; give the name or address of this machine to listen on, like "127.0.0.1" or "0.0.0.0", without scheme and port.`,
  );
}

/** The port of a setting. @throws AgentError `agent-invalid` for a text that is no port */
export function checkedPort(setting: string, text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port < 65_536) return port;
  throw wrongSetting(`${setting} is ${JSON.stringify(text)}; it has to be a number from 0 to 65535.`);
}
