import type { SessionSummary } from '@vitrine/core';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionsKey, useSessionStore } from './session-queries.ts';

/** The stored sessions, newest first; follows changes of this tab and of others where the store tells of them. */
export function useSessions(): UseQueryResult<readonly SessionSummary[]> {
  const store = useSessionStore('useSessions');
  const client = useQueryClient();
  useEffect(
    () => store.subscribe?.(() => void client.invalidateQueries({ queryKey: sessionsKey(store) })),
    [store, client],
  );
  return useQuery({ queryKey: sessionsKey(store), queryFn: () => store.list(), networkMode: 'always' });
}
