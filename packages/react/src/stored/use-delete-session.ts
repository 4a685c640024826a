'use client';

import { deleteSession, restoreSession } from '@vitrine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { flushOpen, useStoredMutation } from './use-stored-mutation.ts';

/** Deletes a session by its id, and brings one back. */
export type UseDeleteSessionResult = UseMutationResult<void, Error, string> & {
  /** Within 10 seconds after the deletion; its `mutate` takes the id, as that of the deletion does. */
  readonly restore: UseMutationResult<void, Error, string>;
};

/**
 * Deletes a stored session: it leaves the lists at once, its run stops, every view shows `deleted`. For 10 seconds
 * `restore` brings it back; then it is erased.
 */
export function useDeleteSession(): UseDeleteSessionResult {
  const store = useNearestStore('useDeleteSession');
  const restore = useStoredMutation({ store, write: (id: string) => restoreSession(store, id) });
  const deletion = useStoredMutation({
    store,
    async write(id: string) {
      await flushOpen(store, id);
      await deleteSession(store, id);
    },
    show: (summary, id) => (summary.id === id ? null : summary),
  });
  return { ...deletion, restore };
}
