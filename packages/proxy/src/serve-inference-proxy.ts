import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { hostsFromEnv } from './guard/hosts.ts';
import type { InferenceProxy } from './inference-proxy.ts';

/** Where {@link serveInferenceProxy} listens, and under which names. */
export type ServeOptions = {
  /** Default: 127.0.0.1, reachable from this machine only. */
  host?: string;
  /** 0 lets the system choose. Default: 5173. */
  port?: number;
  /** Names that the server is reached by, besides `host` and `localhost`. Default: `ALLOWED_HOSTS` of the environment, comma-separated. */
  allowedHosts?: readonly string[];
};

/** Serves a proxy with Node's HTTP server; resolves when it listens, rejects when it cannot. */
export function serveInferenceProxy(
  proxy: InferenceProxy,
  options: ServeOptions = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  const { host = '127.0.0.1', port = 5173, allowedHosts = hostsFromEnv(process.env) } = options;
  const { fetch } = proxy.withHosts([host, ...allowedHosts]);
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: host, port, overrideGlobalObjects: false }, (info) => {
      server.off('error', reject);
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${info.port}`,
        close: () => close(server as Server),
      });
    });
    server.once('error', reject);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
