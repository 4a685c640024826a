'use client';

import { exportSession } from '@vitrine/core';
import type { RawSessionDocument, SessionDocument } from '@vitrine/core/types';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { flushOpen, useStoredMutation } from './use-stored-mutation.ts';

/**
 * Returns a mutation that exports a stored session as one JSON document: `mutateAsync(id)`. Unsaved changes
 * of an open session are included.
 */
export function useExportSession(): UseMutationResult<SessionDocument | RawSessionDocument, Error, string> {
  const store = useNearestStore('useExportSession');
  return useStoredMutation({
    store,
    async write(id: string) {
      await flushOpen(store, id);
      return exportSession(store, id);
    },
  });
}
