'use client';

import { liveSession, type SessionRecord } from '@vitrine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { sessionsKey } from './stored-sessions.ts';
import { useStoreChanges } from './use-store-changes.ts';

/**
 * One stored session as it was last saved, with all stored events in its `state`; null when there is none, or it was
 * deleted. Follows changes as `useSessions` does.
 */
export function useSession(id: string): UseQueryResult<SessionRecord | null> {
  const store = useNearestStore('useSession');
  useStoreChanges(store);
  return useQuery({
    queryKey: sessionsKey(store, id),
    async queryFn() {
      const record = await store.load(id);
      return record === null || record.status === 'deleted' ? null : liveSession(record);
    },
    networkMode: 'always',
    staleTime: 0,
  });
}
