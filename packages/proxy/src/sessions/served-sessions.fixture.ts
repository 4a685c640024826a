import { httpSessions, type FullSessionStore } from '@vitrine/persist';
import type { InjectedErrors } from '@vitrine/testing';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { createSessionRoutes } from './create-session-routes.ts';
import type { SessionLimits, SessionRoutesOptions } from './session-routes-options.ts';

/** A real server of sessions and its clients. */
export type ServedSessions = {
  readonly url: string;
  /** A client of a user, who is identified by a header. */
  readonly as: (user: string, send?: typeof fetch) => FullSessionStore;
  readonly close: () => Promise<void>;
};

export async function serveSessions(
  store: SessionRoutesOptions['store'],
  { port = 0, limits = {} }: { port?: number; limits?: Partial<SessionLimits> } = {},
): Promise<ServedSessions> {
  const routes = createSessionRoutes({
    store,
    limits,
    authorize(request) {
      const id = request.headers.get('x-user');
      return id === null ? null : { id };
    },
    log: () => undefined,
  });
  const server = await serveInferenceProxy(routes, { port });
  return {
    url: server.url,
    as: (user, send = fetch) => httpSessions({ url: server.url, headers: { 'x-user': user }, fetch: send }),
    close: server.close,
  };
}

/** The fault of writes: a lost request, or a lost answer of a finished one; null for none. */
export type FetchFault = { at: 'request' | 'answer' | null };

/** A `fetch` whose writes fail on demand; each has two points, the request (1) and its answer (2). */
export function faultyFetch(): {
  readonly send: typeof fetch;
  readonly fault: FetchFault;
  readonly injectedErrors: Omit<InjectedErrors, 'limit'>;
} {
  const fault: FetchFault = { at: null };
  let writes = 0;
  let dies: number | null = null;

  function count(at: FetchFault['at']): void {
    writes++;
    if (fault.at === at || (dies !== null && writes >= dies)) throw new TypeError(`fetch failed (${at})`);
  }

  return {
    fault,
    injectedErrors: {
      failAt: (write) => (dies = write === null ? null : writes + write),
      writes: () => writes,
    },
    async send(input, init) {
      if (init?.method === 'GET' || String(input).endsWith('/rows')) return fetch(input, init);
      count('request');
      const response = await fetch(input, init);
      count('answer');
      return response;
    },
  };
}
