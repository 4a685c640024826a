import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { sessionsKey, useSessionStore } from './session-queries.ts';

/** Deletes a stored session for good. */
export function useDeleteSession(): UseMutationResult<void, Error, string> {
  const store = useSessionStore('useDeleteSession');
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => store.remove(id),
    networkMode: 'always',
    onSettled: () => client.invalidateQueries({ queryKey: sessionsKey(store) }),
  });
}
