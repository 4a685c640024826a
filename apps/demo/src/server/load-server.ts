import { use, useSyncExternalStore } from 'react';
import { knownSessions, onKnownSessions } from './known-sessions.ts';

type Server = typeof import('./server-sessions.ts');

let loading: Promise<Server> | null = null;
let loaded: Server | null = null;

/** Loads the client of the server's sessions, once; again after a failure. */
export function loadServer(): Promise<Server> {
  loading ??= import('./server-sessions.ts').then(
    (server) => (loaded = server),
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

/** Returns the client of the server's sessions where it is wanted. Suspends until it has loaded. */
export function useServer(isWanted: boolean): Server | null {
  if (!isWanted) return null;
  return loaded ?? use(loadServer());
}

/** Returns the ids of the sessions on the server that this browser knows. */
export function useKnownSessions(): readonly string[] {
  return useSyncExternalStore(onKnownSessions, knownSessions);
}
