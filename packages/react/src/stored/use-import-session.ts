'use client';

import { importSession } from '@vitrine/core';
import type { ImportOptions } from '@vitrine/core/types';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { unreadableFile, useStoredMutation } from './use-stored-mutation.ts';

/** The input of an import: an exported document, its text, or a file of it. */
export type ImportInput = { readonly document: unknown } & Pick<ImportOptions, 'trust'>;

/**
 * Returns a mutation that imports an exported session into the store and resolves with its id. The document
 * is untrusted by default.
 */
export function useImportSession(): UseMutationResult<string, Error, ImportInput> {
  const store = useNearestStore('useImportSession');
  return useStoredMutation({
    store,
    write: async ({ document, trust = 'none' }: ImportInput) =>
      importSession(store, document instanceof Blob ? await textOf(document) : document, { trust }),
  });
}

async function textOf(file: Blob): Promise<string> {
  try {
    return await file.text();
  } catch (thrown) {
    throw unreadableFile(thrown);
  }
}
