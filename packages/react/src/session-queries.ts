import { AgentError, type SessionStore } from '@vitrine/core';
import { useContext } from 'react';
import { SessionStoreContext } from './agent-context.ts';

const storeNumbers = new WeakMap<SessionStore, number>();
let nextNumber = 1;

/** The query key of a store's sessions, or of one of them. */
export function sessionsKey(store: SessionStore, id?: string): readonly unknown[] {
  const number = storeNumbers.get(store) ?? nextNumber++;
  storeNumbers.set(store, number);
  return ['vitrine', 'sessions', number, ...(id === undefined ? [] : [id])];
}

/** @throws AgentError `session-not-found` without a store. */
export function useSessionStore(hook: string): SessionStore {
  const store = useContext(SessionStoreContext);
  if (store) return store;
  throw new AgentError(
    'session-not-found',
    `${hook} needs a session store: wrap the component in <AgentProvider sessions={…}>.`,
  );
}
