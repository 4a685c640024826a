'use client';

import type { SessionList, SessionSummary } from '@vitrine/core';
import type { SessionQuery } from '@vitrine/core/types';
import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNearestStore } from '../agent-context.ts';
import { sessionsKey } from './stored-sessions.ts';
import { useStoreChanges } from './use-store-changes.ts';

/** Which sessions are listed; `limit` is the length of a page. */
export type SessionsQuery = Omit<SessionQuery, 'cursor'>;

/** The stored sessions, as far as they have been read. */
export type UseSessionsResult = {
  /** Newest first, all pages that were read; undefined until the first is there. */
  readonly data: readonly SessionSummary[] | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** What is shown is of the query before, while the present one is read. */
  readonly isPlaceholderData: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  /** Reads the next page; resolves when it is there. */
  readonly fetchNextPage: () => Promise<unknown>;
};

/**
 * The stored sessions, newest first; follows changes of this tab and of others where the store tells of them. `search`
 * finds words in titles and in the text of messages; without a `limit` all come at once.
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
      // A store is asked even when the page is offline, and what an application thinks of staleness is meant for servers.
      networkMode: 'always',
      staleTime: 0,
    });
  return { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage };
}

function allOf({ pages }: InfiniteData<SessionList>): readonly SessionSummary[] {
  return pages.flatMap(({ sessions }) => sessions);
}
