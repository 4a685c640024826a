'use client';

import type { SessionSummary } from '@vitrine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { sessionsKey } from './stored-sessions.ts';
import { useStored } from './use-stored.ts';

/** The stored sessions, newest first; follows changes of this tab and of others where the store tells of them. */
export function useSessions(): UseQueryResult<readonly SessionSummary[]> {
  const store = useNearestStore('useSessions');
  return useStored(store, sessionsKey(store), async () => (await store.list()).sessions);
}
