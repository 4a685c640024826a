'use client';

import type { SessionStore } from '@vitrine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SessionStoreContext } from './agent-context.ts';
import { useSteadyStore } from './use-shared-session.ts';

type AgentProviderProps = {
  /** The store of the sessions below. A session may name a store of its own. */
  readonly sessions?: SessionStore | undefined;
  /**
   * The query client of `useSessions` and related hooks. Default: that of the nearest
   * `QueryClientProvider`, otherwise one that the page shares.
   */
  readonly queryClient?: QueryClient | undefined;
  /** The components that use the sessions. */
  readonly children?: ReactNode;
};

/** Settings for all sessions below; optional. */
export function AgentProvider({ sessions, queryClient, children }: AgentProviderProps): ReactNode {
  const store = useSteadyStore(sessions ?? null);
  const content = <SessionStoreContext.Provider value={store}>{children}</SessionStoreContext.Provider>;
  return queryClient ? <QueryClientProvider client={queryClient}>{content}</QueryClientProvider> : content;
}
AgentProvider.displayName = 'AgentProvider';
