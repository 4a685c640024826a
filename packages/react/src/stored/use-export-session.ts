'use client';

import { exportSession } from '@vitrine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { flushOpen, useStoredMutation } from './use-stored-mutation.ts';

/** A document of a session, or of one whose state cannot be read. */
type Exported = Awaited<ReturnType<typeof exportSession>>;

/** Gives a stored session as one JSON document, with what an open one has not saved yet: `mutateAsync(id)`. */
export function useExportSession(): UseMutationResult<Exported, Error, string> {
  const store = useNearestStore('useExportSession');
  return useStoredMutation({
    store,
    async write(id: string) {
      await flushOpen(store, id);
      return exportSession(store, id);
    },
  });
}
