'use client';

import type { SessionStore } from '@vitrine/core';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { storeKey } from './stored-sessions.ts';

/** A query over a store that is asked again whenever the store tells of a change, and with every new reader. */
export function useStored<Value>(
  store: SessionStore,
  queryKey: readonly unknown[],
  read: () => Promise<Value>,
): UseQueryResult<Value> {
  const client = useQueryClient();
  useEffect(
    () => store.subscribe?.(() => void client.invalidateQueries({ queryKey: storeKey(store) })),
    [store, client],
  );
  // A store is asked even when the page is offline, and what an application thinks of staleness is meant for servers.
  return useQuery({ queryKey, queryFn: read, networkMode: 'always', staleTime: 0 });
}
