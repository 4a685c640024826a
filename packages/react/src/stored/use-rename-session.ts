'use client';

import { renameSession } from '@vitrine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { openSession } from '../registry.ts';
import { useStoredMutation } from './use-stored-mutation.ts';

/**
 * Returns a mutation that renames a stored session; the new title shows at once.
 * @throws AgentError `session-not-found` when no session has this id, as a rejection.
 */
export function useRenameSession(): UseMutationResult<void, Error, { id: string; title: string }> {
  const store = useNearestStore('useRenameSession');
  return useStoredMutation({
    store,
    async write({ id, title }: { id: string; title: string }) {
      // An open session would overwrite the title with its own, so it is renamed through its controller.
      // The same id in another store is a different session.
      const open = openSession(id, store);
      if (open) await open.session.rename(title);
      else await renameSession(store, id, title);
    },
    show: (summary, { id, title }) => (summary.id === id ? { ...summary, title } : summary),
  });
}
