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

/** What was shown before, by query. */
type Before = readonly (readonly [key: readonly unknown[], data: Cached])[];

/** Shows a change of summaries before it is written, and what there was again when it fails. */
export function useStoredMutation<Value, Input>(options: {
  readonly store: SessionStore;
  readonly write: (input: Input) => Promise<Value>;
  /** The summary as it will be; null takes it out of lists. Other sessions are given back as they are. */
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
      // A read that goes on would bring back what there was.
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

/** Writes what an open session of this page has not saved yet, so that nothing of it is lost by what comes. */
export async function flushOpen(store: SessionStore, id: string): Promise<void> {
  await openSession(id, store)?.session.flush();
}

/** The error of a file that is not what was expected. */
export function unreadableFile(cause: unknown): AgentError {
  return new AgentError('state-invalid', 'The file could not be read. Choose one that was exported here.', {
    cause,
  });
}
