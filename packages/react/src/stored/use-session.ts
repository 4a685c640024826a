'use client';

import { resolveRecord, type SessionRecord, loadedSession } from '@vitrine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { sessionsKey } from './stored-sessions.ts';
import { useStoreChanges } from './use-store-changes.ts';

/**
 * Returns one stored session as it was last saved, with all stored events in its `state`. The data is null
 * when the session does not exist or was deleted. Follows changes like `useSessions`.
 */
export function useSession(id: string): UseQueryResult<SessionRecord | null> {
  const store = useNearestStore('useSession');
  useStoreChanges(store);
  return useQuery({
    queryKey: sessionsKey(store, id),
    async queryFn() {
      const record = loadedSession(await store.load(id));
      return record === null || record.status === 'deleted' ? null : resolveRecord(record);
    },
    networkMode: 'always',
    staleTime: 0,
  });
}
