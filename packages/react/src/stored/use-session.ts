'use client';

import type { SessionRecord } from '@vitrine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { sessionsKey } from './stored-sessions.ts';
import { useStored } from './use-stored.ts';

/** One stored session as it was last saved; null when there is none. Follows changes as `useSessions` does. */
export function useSession(id: string): UseQueryResult<SessionRecord | null> {
  const store = useNearestStore('useSession');
  return useStored(store, sessionsKey(store, id), () => store.load(id));
}
