import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostsFromEnv } from '../guard/hosts.ts';
import { wrongSetting } from '../kit/env-record.ts';
import type { CloseOptions, InferenceProxy } from '../inference-proxy.ts';
import { requestListener } from './request-listener.ts';

/** Address and names of {@link serveInferenceProxy}. */
export type ServeOptions = {
  /** The address to listen on. Default: 127.0.0.1, reachable from this machine only. */
  host?: string;
  /** The port; 0 lets the system choose. Default: 8787. */
  port?: number;
  /**
   * Names of the server besides `host` and `localhost`. Default: `ALLOWED_HOSTS` of the environment, comma-separated.
   */
  allowedHosts?: readonly string[];
  /** Milliseconds for the headers of a request to arrive; slower sockets are closed. Bodies have their own time. Default: 10,000. */
  headersMs?: number;
};

/** Anything that can be served: a proxy, or the routes of sessions. */
export type Servable = {
  readonly withHosts: (hosts: readonly string[]) => Pick<InferenceProxy, 'fetch'>;
  readonly close?: InferenceProxy['close'];
};

/** A running server of a proxy. */
export type InferenceServer = {
  readonly url: string;
  /** Closes the proxy (see {@link InferenceProxy}), and then the server, once the last stream has ended. */
  readonly close: (options?: CloseOptions) => Promise<void>;
};

/** Milliseconds for readers to receive the last events. */
const deliveryMs = 1000;

/**
 * Serves a proxy with Node's HTTP server. Resolves when it listens.
 * @throws AgentError `agent-invalid` when the port is in use; other errors are Node's.
 */
export function serveInferenceProxy(proxy: Servable, options: ServeOptions = {}): Promise<InferenceServer> {
  const { host = '127.0.0.1', port = 8787, allowedHosts = hostsFromEnv(process.env) } = options;
  const { headersMs = 10_000 } = options;
  const times = { headersTimeout: headersMs, connectionsCheckingInterval: Math.min(1000, headersMs) };
  const server = createServer(times, requestListener(proxy.withHosts([host, ...allowedHosts])));
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(error.code === 'EADDRINUSE' ? portInUse(host, port) : error);
    server.once('error', fail).listen(port, host, () => {
      server.off('error', fail);
      const { port: bound } = server.address() as AddressInfo;
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
        async close(how) {
          await proxy.close?.(how);
          await close(server);
        },
      });
    });
  });
}

function portInUse(host: string, port: number): Error {
  return wrongSetting(
    `Port ${port} of ${host} is in use by another program. Stop that program, or choose another port: \`--port\` of the command, \`PORT\` in the environment, or \`port\` of serveInferenceProxy.`,
  );
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), deliveryMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
