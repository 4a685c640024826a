'use client';

import { renameSession } from '@vitrine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { openSession } from '../registry.ts';
import { useStoredMutation } from './use-stored-mutation.ts';

/** Gives a stored session another title, shown at once. Fails with `session-not-found` when there is none of that id. */
export function useRenameSession(): UseMutationResult<void, Error, { id: string; title: string }> {
  const store = useNearestStore('useRenameSession');
  return useStoredMutation({
    store,
    async write({ id, title }: { id: string; title: string }) {
      // A session that is open knows its own title, and would write it over ours. The same id in another store is another session.
      const open = openSession(id, store);
      if (open) await open.session.rename(title);
      else await renameSession(store, id, title);
    },
    show: (summary, { id, title }) => (summary.id === id ? { ...summary, title } : summary),
  });
}
