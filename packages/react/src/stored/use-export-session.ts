'use client';

import { exportSession } from '@vitrine/core';
import type { RawSessionDocument, SessionDocument } from '@vitrine/core/types';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { flushOpen, useStoredMutation } from './use-stored-mutation.ts';

/** Gives a stored session as one JSON document, with what an open one has not saved yet: `mutateAsync(id)`. */
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
