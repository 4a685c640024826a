'use client';

import type { SessionList, SessionSummary } from '@vitrine/core';
import type { SessionQuery } from '@vitrine/core/types';
import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { sessionsKey } from './stored-sessions.ts';
import { useStoreChanges } from './use-store-changes.ts';

/** Filters of the list; `limit` is the length of a page. */
export type SessionsQuery = Omit<SessionQuery, 'cursor'>;

/** The stored sessions that have been read so far. */
export type UseSessionsResult = {
  /** The sessions of all pages read so far, newest first; undefined until the first page has loaded. */
  readonly data: readonly SessionSummary[] | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** True if the data belongs to the previous query, while the current one loads. */
  readonly isPlaceholderData: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  /** Reads the next page; resolves when it has loaded. */
  readonly fetchNextPage: () => Promise<unknown>;
};

/**
 * Returns the stored sessions, newest first. Follows changes of this tab, and of others if the store
 * reports them. `search` finds words in titles and in the text of messages. Without a `limit`, all sessions
 * load at once.
 */
export function useSessions(query: SessionsQuery = {}): UseSessionsResult {
  const store = useNearestStore('useSessions');
  useStoreChanges(store);
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery({
      queryKey: [...sessionsKey(store), query],
      queryFn: ({ pageParam }) => store.list(pageParam === null ? query : { ...query, cursor: pageParam }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ cursor }: SessionList) => cursor,
      select: allOf,
      placeholderData: keepPreviousData,
      // A store is read even when the page is offline. The application's stale time is meant for servers.
      networkMode: 'always',
      staleTime: 0,
    });
  return { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage };
}

function allOf({ pages }: InfiniteData<SessionList>): readonly SessionSummary[] {
  return pages.flatMap(({ sessions }) => sessions);
}
