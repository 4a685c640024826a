'use client';

import { AgentError, type AgentSession, type SessionStore } from '@vitrine/core';
import { type Context, createContext, useContext } from 'react';

/** The session store that `<AgentProvider>` provides. */
export const SessionStoreContext: Context<SessionStore | null> = createContext<SessionStore | null>(null);
SessionStoreContext.displayName = 'AgentProvider';

/** The session of the nearest `<AgentSessionProvider>`. */
export const AgentSessionContext: Context<AgentSession | null> = createContext<AgentSession | null>(null);
AgentSessionContext.displayName = 'AgentSessionProvider';

/** The session of the nearest `<AgentSessionProvider>`. @throws AgentError `session-not-found` when there is none. */
export function useNearestSession(hook: string): AgentSession {
  const hint = `${hook} needs a session: wrap the component in <AgentSessionProvider agent={…}>.`;
  return useContext(AgentSessionContext) ?? throwMissing(hint);
}

/** The store of the nearest `<AgentProvider>`. @throws AgentError `session-not-found` when there is none. */
export function useNearestStore(hook: string): SessionStore {
  const hint = `${hook} needs a store: wrap the component in <AgentProvider sessions={…}>.`;
  return useContext(SessionStoreContext) ?? throwMissing(hint);
}

function throwMissing(message: string): never {
  throw new AgentError('session-not-found', message);
}
