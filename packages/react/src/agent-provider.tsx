'use client';

import type { SessionStore } from '@vitrine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SessionStoreContext } from './agent-context.ts';
import { useSteadyStore } from './use-steady-store.ts';

/** What `AgentProvider` takes; nothing is required. */
export type AgentProviderProps = {
  /** Where sessions below are kept, unless they name a store themselves. */
  readonly sessions?: SessionStore | undefined;
  /** For `useSessions` and its kin, when the application has no `QueryClientProvider` of its own. */
  readonly queryClient?: QueryClient | undefined;
  readonly children?: ReactNode;
};

/** Settings for all sessions below; optional. */
export function AgentProvider({ sessions, queryClient, children }: AgentProviderProps): ReactNode {
  const store = useSteadyStore(sessions ?? null);
  const content = <SessionStoreContext.Provider value={store}>{children}</SessionStoreContext.Provider>;
  return queryClient ? <QueryClientProvider client={queryClient}>{content}</QueryClientProvider> : content;
}
AgentProvider.displayName = 'AgentProvider';
