import {
  loadEnv,
  type Logger,
  type Plugin,
  type PreviewServer,
  type ResolvedConfig,
  type ViteDevServer,
} from 'vite';
import { hostOf } from '../guard/hosts.ts';
import type { InferenceProxyOptions } from '../inference-proxy.ts';
import { type EnvRecord, wrongSetting } from '../kit/env-record.ts';
import { levelOf, type ProxyLogEntry } from '../operator/request-line.ts';
import { missingKey } from '../providers/models-from-env.ts';
import { listedModels, type ProxyModel } from '../providers/proxy-model.ts';
import { requestListener } from './request-listener.ts';
import { proxyFromEnv } from './serve-from-env.ts';
import { developCases } from './vite-cases.ts';

/** Options of {@link vitrine}: its path, and options of the proxy, which win over the environment. */
export type VitrineOptions = Partial<InferenceProxyOptions> & {
  /** The path below which the proxy is mounted, as in `proxyInference({ url })`. Default: `/api`. */
  path?: string;
  /** The cases of the project, which are checked when the server starts and after each edit of the agent. */
  cases?: {
    /** The module of the agent and its export, as `src/agent.ts#agent`. */
    agent: string;
    /** The folder of the cases. Default: `cases`. */
    folder?: string;
    /** The most model calls of one case whose run goes another way after an edit. Default: 0, so no model is asked. */
    calls?: number;
  };
};

/**
 * A plugin for Vite that mounts the proxy in the development and the preview server. It reads `.env` as Vite does and
 * the environment of the process, as `serveFromEnv` does; keys stay in the server. Without a key the offline demo model
 * answers. Vite's `allowedHosts` decides about hosts, and Vite's logger gets failures and refusals. It does nothing in
 * a build, and in Vitest.
 */
export function vitrine({ path = '/api', cases, ...options }: VitrineOptions = {}): Plugin {
  const below = checkedPath(path);
  const developed = cases === undefined ? null : developCases(cases);
  const closing = new Map<ResolvedConfig, () => Promise<void>>();

  async function mount({ config, middlewares }: ViteDevServer | PreviewServer): Promise<void> {
    const env = loadEnv(config.mode, config.envDir, '');
    let isOpen = true;
    const log = (entry: ProxyLogEntry): void => {
      // Answers that end with the server are no failures.
      if (isOpen) logTo(config.logger, entry);
    };
    const { served, models, close } = await proxyFromEnv(env, { log, ...options }, { offline: true });
    closing.set(config, async () => {
      closing.delete(config);
      isOpen = false;
      await served.close?.({ graceMs: 0 });
      await close();
    });
    // Vite has checked the host before.
    const listener = requestListener({
      fetch: (request) => served.withHosts([hostOf(request)]).fetch(request),
    });
    middlewares.use((request, response, next) => {
      if (isServed(request.url ?? '', below)) listener(request, response);
      else next();
    });
    // Not awaited: a server may take its time to list its models.
    void listedModels(models).then((listed) => announce(config.logger, listed, env, path));
  }

  return {
    name: 'vitrine',
    apply: (_config, { command }) => command === 'serve' && !process.env['VITEST'],
    ...developed?.hooks,
    async configureServer(server) {
      await mount(server);
      developed?.watch(server);
    },
    async configurePreviewServer(server) {
      await mount(server);
      server.httpServer.once('close', () => void closing.get(server.config)?.());
    },
    // A restarted server is made before the old one closes, perhaps with the same plugin.
    async buildEnd() {
      await closing.get(this.environment.getTopLevelConfig())?.();
    },
  };
}

/** True for a route of the proxy, or of sessions, below the path. All other paths are for Vite. */
function isServed(url: string, below: string): boolean {
  const [path = ''] = url.split('?', 1);
  return (
    path.startsWith(`${below}/`) &&
    /^\/(?:v1\/(?:inference|models|sessions)|healthz|readyz|metrics)(?:\/|$)/.test(path.slice(below.length))
  );
}

/** @throws AgentError `agent-invalid` for a path without a slash at its start, or with a query. */
function checkedPath(path: string): string {
  if (/^\/[^?#]*$/.test(path)) return path.replace(/\/$/, '');
  throw wrongSetting(
    `vitrine: path is ${JSON.stringify(path)}; give a path that begins with a slash, like "/api", the same as in proxyInference({ url }).`,
  );
}

function announce(logger: Logger, models: readonly ProxyModel[], env: EnvRecord, path: string): void {
  const { wanted, found } = missingKey(env);
  const isOffline = models.every(({ provider }) => provider === 'demo');
  if (!isOffline || (env['VITRINE_MODELS'] ?? '') !== '')
    return logger.info(`Vitrine: ${path} serves ${models.map(({ id }) => id).join(', ')}.`);
  logger.warn(
    `Vitrine: No API key found: the offline demo model answers at ${path}. Set one of ${wanted} in .env.${found}`,
  );
}

/** Writes a failure or refusal with Vite's logger. */
function logTo(logger: Logger, entry: ProxyLogEntry): void {
  const { route, status, code, cause, hint } = entry;
  const level = levelOf(entry);
  if (level === 'info') return;
  const why = [cause, hint].filter((text) => text !== null).map((text) => `\n  ${text}`);
  logger[level](`Vitrine: ${route} ${code ?? status}${why.join('')}`, { timestamp: true });
}
