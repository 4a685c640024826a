'use client';

import { AgentError, isAgentError, type SessionStore } from '@vitrine/core';
import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { openSession } from '../registry.ts';
import { storeKey } from './stored-sessions.ts';

/** Gives a stored session another title. Fails with `session-not-found` when there is none of that id. */
export function useRenameSession(): UseMutationResult<void, Error, { id: string; title: string }> {
  const store = useNearestStore('useRenameSession');
  const client = useQueryClient();
  return useMutation({
    async mutationFn({ id, title }) {
      // A session that is open knows its own title, and would write it over ours. The same id in another store is another session.
      const open = openSession(id, store);
      if (open) await open.session.rename(title);
      else await renameStored(store, id, title);
    },
    networkMode: 'always',
    onSettled: () => client.invalidateQueries({ queryKey: storeKey(store) }),
  });
}

const attempts = 3;

/** Another tab may write between our reading and writing: its change stays, and ours is put on top. */
async function renameStored(store: SessionStore, id: string, title: string, attempt = 1): Promise<void> {
  const record = await store.load(id);
  if (record === null) {
    throw new AgentError('session-not-found', `There is no session ${JSON.stringify(id)} to rename.`, {
      data: { id },
    });
  }
  try {
    await store.save({ ...record, title }, { expectedVersion: record.version });
  } catch (error) {
    if (attempt === attempts || !isAgentError(error, 'session-conflict')) throw error;
    await renameStored(store, id, title, attempt + 1);
  }
}
