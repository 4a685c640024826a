import { AgentError, sessionHub } from '@vitrine/core';
import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { sessionsKey, useSessionStore } from './session-queries.ts';

/** Gives a stored session another title. Fails with `session-not-found` when there is none of that id. */
export function useRenameSession(): UseMutationResult<void, Error, { id: string; title: string }> {
  const store = useSessionStore('useRenameSession');
  const client = useQueryClient();
  return useMutation({
    async mutationFn({ id, title }) {
      // A session that is open has to know, or its next save would conflict with ours.
      const open = sessionHub()
        .sessions()
        .find((session) => session.id === id);
      if (open) return open.rename(title);
      const record = await store.load(id);
      if (record === null)
        throw new AgentError('session-not-found', `There is no session ${JSON.stringify(id)} to rename.`, {
          data: { id },
        });
      await store.save({ ...record, title }, { expectedVersion: record.version });
    },
    networkMode: 'always',
    onSettled: () => client.invalidateQueries({ queryKey: sessionsKey(store) }),
  });
}
