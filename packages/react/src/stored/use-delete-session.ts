'use client';

import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { storeKey } from './stored-sessions.ts';

/** Deletes a stored session for good. */
export function useDeleteSession(): UseMutationResult<void, Error, string> {
  const store = useNearestStore('useDeleteSession');
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => store.remove(id),
    networkMode: 'always',
    onSettled: () => client.invalidateQueries({ queryKey: storeKey(store) }),
  });
}
