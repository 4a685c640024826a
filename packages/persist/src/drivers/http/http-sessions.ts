import { AgentError, type AgentErrorCode, wireErrorCode } from '@vitrine/core/internal/kit/agent-error';
import { serverInFront } from '@vitrine/core/internal/kit/server-in-front';
import type { HttpSessionsOptions, StorageFailure } from './http-protocol.ts';
import { lateStore } from '../../rows/row-sessions.ts';
import type { Durability, FullSessionStore } from '@vitrine/core/internal/session/store/session-store';

/**
 * Creates a store on a server, where every device of a user finds the sessions. A save sends new rows only, an append
 * one record; a file is its own request. `durability` is that of the server's store, and `eventual` until the first
 * answer. The client code is loaded with the first call. Small writes (up to 60 kB) of a page that leaves are still
 * sent. An unreachable server rejects with `session-storage`, one that refuses the caller with `unauthorized` (401) or
 * with its own code (403).
 */
export function httpSessions(options: HttpSessionsOptions): FullSessionStore {
  let durability: Durability = 'eventual';
  const store = lateStore(async () => {
    const [{ httpRows }, { createRowEngine }] = await Promise.all([
      import('./http-rows.ts').catch(cannotBeLoaded),
      import('../../rows/row-engine.ts'),
    ]);
    return createRowEngine(httpRows(options, (said) => (durability = said), { fail, serverInFront }));
  });
  return {
    ...store,
    identity: identityOf(options),
    get durability() {
      return durability;
    },
  };
}

/**
 * Returns the identity of the store; null when a function decides on user or server, since two functions
 * cannot be compared.
 */
function identityOf({ url, headers = {}, fetch: own }: HttpSessionsOptions): string | null {
  if (own !== undefined || typeof headers === 'function') return null;
  return `http:${url} ${JSON.stringify(headers)}`;
}

const fail: StorageFailure = (message, more) => new AgentError(codeOf(more?.data), message, more);

/**
 * A refused caller is no fault of the store: a session whose first read is refused shows that at once, instead of
 * going on unsaved.
 */
function codeOf(data: { readonly status: number; readonly code: string } | undefined): AgentErrorCode {
  if (data?.status === 401) return 'unauthorized';
  return data?.status === 403 ? wireErrorCode(data.code) : 'session-storage';
}

function cannotBeLoaded(cause: unknown): never {
  const message = `The client of the session server cannot be loaded: ${String(cause)}. The next call tries again.`;
  throw fail(message, { cause });
}
