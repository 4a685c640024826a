'use client';

import {
  AgentError,
  type SessionList,
  type SessionRecord,
  type SessionStore,
  type SessionSummary,
} from '@vitrine/core';
import {
  type InfiniteData,
  type QueryClient,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from '@tanstack/react-query';
import { openSession } from '../registry.ts';
import { storeKey } from './stored-sessions.ts';

type Lists = InfiniteData<SessionList, string | null>;
type Cached = Lists | SessionRecord | null | undefined;

/** The previous data by query, for a rollback. */
type Before = readonly (readonly [key: readonly unknown[], data: Cached])[];

/** Runs a mutation of stored sessions with an optimistic update; a failure restores the previous data. */
export function useStoredMutation<Value, Input>(options: {
  readonly store: SessionStore;
  readonly write: (input: Input) => Promise<Value>;
  /** Returns the changed summary; null removes it from lists. Must return other sessions unchanged. */
  readonly show?: (summary: SessionSummary, input: Input) => SessionSummary | null;
}): UseMutationResult<Value, Error, Input> {
  const { store, write, show } = options;
  const client = useQueryClient();
  const queryKey = storeKey(store);
  return useMutation<Value, Error, Input, Before>({
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
          changed(data, (summary) => show(summary, input)),
        );
      return before;
    },
    onError: (_error, _input, before) => rollBack(client, before),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

function rollBack(client: QueryClient, before: Before | undefined): void {
  for (const [key, data] of before ?? []) client.setQueryData(key, data);
}

function changed(data: Cached, show: (summary: SessionSummary) => SessionSummary | null): Cached {
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
export async function flushOpen(store: SessionStore, id: string): Promise<void> {
  await openSession(id, store)?.session.flush();
}

/** The error of a file that cannot be read. */
export function unreadableFile(cause: unknown): AgentError {
  return new AgentError(
    'state-invalid',
    'The file could not be read. Choose a file that was exported from this application.',
    {
      cause,
    },
  );
}
