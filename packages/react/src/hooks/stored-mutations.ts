'use client';

import { type InfiniteData, useMutation, type UseMutationResult } from '@tanstack/react-query';
import {
  AgentError,
  type SessionList,
  type SessionRecord,
  type SessionStore,
  type SessionSummary,
} from '@vitrine/core';
import {
  deleteSession,
  exportSession,
  importSession,
  renameSession,
  restoreSession,
  type RawSessionDocument,
  type SessionDocument,
} from '@vitrine/persist';
import { useNearestStore } from '../agent-context.ts';
import { openSession } from '../session-users.ts';
import { useQueries } from './use-queries.ts';
import { storeKey } from './use-sessions.ts';

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

type UseDeleteSessionResult = UseMutationResult<void, Error, string> & {
  /** Restores a session within 10 seconds after its deletion; `mutate` takes the id, like that of the deletion. */
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

/**
 * Returns a mutation that imports an exported session into the store and resolves with its id. The `document` is the
 * session, its text, or a file of it, and is untrusted by default.
 */
export function useImportSession(): UseMutationResult<
  string,
  Error,
  { readonly document: unknown; readonly trust?: 'none' | 'full' }
> {
  const store = useNearestStore('useImportSession');
  return useStoredMutation({
    store,
    write: async ({ document, trust = 'none' }: { document: unknown; trust?: 'none' | 'full' }) =>
      importSession(store, document instanceof Blob ? await textOf(document) : document, { trust }),
  });
}

/** The text of a file. @throws AgentError `state-invalid` for one that cannot be read */
export async function textOf(file: Blob): Promise<string> {
  try {
    return await file.text();
  } catch (cause) {
    const message = 'The file could not be read. Choose a file that was exported from this application.';
    throw new AgentError('state-invalid', message, { cause });
  }
}

type Lists = InfiniteData<SessionList, string | null>;
type Cached = Lists | SessionRecord | null | undefined;

type Before = readonly (readonly [key: readonly unknown[], data: Cached])[];

/** Runs a mutation of stored sessions with an optimistic update; a failure restores the previous data. */
export function useStoredMutation<Value, Input>(options: {
  readonly store: SessionStore;
  readonly write: (input: Input) => Promise<Value>;
  /** Returns the changed summary; null removes it from lists. Must return other sessions unchanged. */
  readonly show?: (summary: SessionSummary, input: Input) => SessionSummary | null;
}): UseMutationResult<Value, Error, Input> {
  const { store, write, show } = options;
  const client = useQueries();
  const queryKey = storeKey(store);
  return useMutation<Value, Error, Input, Before>(
    {
      mutationFn: write,
      networkMode: 'always',
      async onMutate(input) {
        if (show === undefined) return [];
        // A read in progress would bring back the old data.
        await client.cancelQueries({ queryKey });
        const before = client.getQueriesData<Cached>({ queryKey });
        for (const [key, data] of before)
          client.setQueryData(
            key,
            changeCached(data, (summary) => show(summary, input)),
          );
        return before;
      },
      onError(_error, _input, before) {
        for (const [key, data] of before ?? []) client.setQueryData(key, data);
      },
      onSettled: () => client.invalidateQueries({ queryKey }),
    },
    client,
  );
}

function changeCached(data: Cached, show: (summary: SessionSummary) => SessionSummary | null): Cached {
  if (data === null || data === undefined) return data;
  if (!('pages' in data)) {
    const shown = show(data);
    return shown === null ? null : { ...data, title: shown.title };
  }
  const pages = data.pages.map((page) => ({
    ...page,
    sessions: page.sessions.flatMap((summary) => show(summary) ?? []),
  }));
  return { ...data, pages };
}

/** Saves the unsaved changes of an open session of this page, so that the next operation includes them. */
async function flushOpen(store: SessionStore, id: string): Promise<void> {
  await openSession(id, store)?.session.flush();
}
