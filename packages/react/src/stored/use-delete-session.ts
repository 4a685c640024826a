'use client';

import { deleteSession, restoreSession } from '@vitrine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { flushOpen, useStoredMutation } from './use-stored-mutation.ts';

/** A mutation that deletes a session by its id, and one that restores it. */
export type UseDeleteSessionResult = UseMutationResult<void, Error, string> & {
  /**
   * Restores a session within 10 seconds after its deletion; `mutate` takes the id, like that of the
   * deletion.
   */
  readonly restore: UseMutationResult<void, Error, string>;
};

/**
 * Returns a mutation that deletes a stored session: it leaves the lists at once, its run stops, and every
 * view shows `deleted`. `restore` undoes that for 10 seconds; then the session is erased.
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
