'use client';

import type { SessionStore } from '@vitrine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { storeKey } from './stored-sessions.ts';

/** Invalidates all queries of a store when the store reports a change. */
export function useStoreChanges(store: SessionStore): void {
  const client = useQueryClient();
  useEffect(
    () => store.subscribe?.(() => void client.invalidateQueries({ queryKey: storeKey(store) })),
    [store, client],
  );
}
