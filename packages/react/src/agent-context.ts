import { AgentError, type SessionStore } from '@vitrine/core';
import { createContext, useContext } from 'react';
import type { SessionEntry } from './session-registry.ts';

/** What `<AgentProvider>` gives: where sessions are kept. */
export const SessionStoreContext: React.Context<SessionStore | null> = createContext<SessionStore | null>(
  null,
);

/** The session of the nearest `<AgentSession>`. */
export const SessionEntryContext: React.Context<SessionEntry | null> = createContext<SessionEntry | null>(
  null,
);

/** @throws AgentError `session-not-found` outside `<AgentSession>`. */
export function useSessionEntryContext(hook: string): SessionEntry {
  const entry = useContext(SessionEntryContext);
  if (entry) return entry;
  throw new AgentError(
    'session-not-found',
    `${hook} needs a session: wrap the component in <AgentSession agent={…}>.`,
  );
}
