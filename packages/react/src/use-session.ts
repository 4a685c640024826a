import type { SessionRecord } from '@vitrine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { sessionsKey, useSessionStore } from './session-queries.ts';

/** One stored session as it was last saved; null when there is none. */
export function useSession(id: string): UseQueryResult<SessionRecord | null> {
  const store = useSessionStore('useSession');
  return useQuery({ queryKey: sessionsKey(store, id), queryFn: () => store.load(id), networkMode: 'always' });
}
