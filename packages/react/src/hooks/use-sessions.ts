'use client';

import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import {
  loadedSession,
  resolveRecord,
  type SessionList,
  type SessionRecord,
  type SessionStore,
  type SessionSummary,
} from '@vitrine/core';
import type { SessionQuery } from '@vitrine/core/types';
import { useEffect } from 'react';
import { useNearestStore } from '../agent-context.ts';
import { useQueries } from './use-queries.ts';

type SessionsQuery = Omit<SessionQuery, 'cursor'>;

type UseSessionsResult = {
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
 * Returns the stored sessions, newest first. Follows changes of this tab, and of others if the store reports them.
 * `search` finds words in titles and in the text of messages. Without a `limit`, all sessions load at once.
 */
export function useSessions(query: SessionsQuery = {}): UseSessionsResult {
  const store = useNearestStore('useSessions');
  useStoreChanges(store);
  const client = useQueries();
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(
      {
        queryKey: [...sessionsKey(store), query],
        queryFn: ({ pageParam }) => store.list(pageParam === null ? query : { ...query, cursor: pageParam }),
        initialPageParam: null as string | null,
        getNextPageParam: ({ cursor }: SessionList) => cursor,
        select: allOf,
        placeholderData: keepPreviousData,
        // A store is read even when the page is offline. The application's stale time is meant for servers.
        networkMode: 'always',
        staleTime: 0,
      },
      client,
    );
  return { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage };
}

function allOf({ pages }: InfiniteData<SessionList>): readonly SessionSummary[] {
  return pages.flatMap(({ sessions }) => sessions);
}

/**
 * Returns one stored session as it was last saved, with all stored events in its `state`. The data is null
 * when the session does not exist or was deleted. Follows changes like `useSessions`.
 */
export function useSession(id: string): UseQueryResult<SessionRecord | null> {
  const store = useNearestStore('useSession');
  useStoreChanges(store);
  const client = useQueries();
  return useQuery(
    {
      queryKey: sessionsKey(store, id),
      async queryFn() {
        const record = loadedSession(await store.load(id));
        return record === null || record.status === 'deleted' ? null : resolveRecord(record);
      },
      networkMode: 'always',
      staleTime: 0,
    },
    client,
  );
}

function useStoreChanges(store: SessionStore): void {
  const client = useQueries();
  useEffect(
    () => store.subscribe?.(() => void client.invalidateQueries({ queryKey: storeKey(store) })),
    [store, client],
  );
}

const storeNumbers = new WeakMap<SessionStore, number>();
let nextNumber = 1;

function sessionsKey(store: SessionStore, id?: string): readonly unknown[] {
  const number = storeNumbers.get(store) ?? nextNumber++;
  storeNumbers.set(store, number);
  return ['vitrine', 'sessions', number, ...(id === undefined ? ['list'] : ['one', id])];
}

/** The common prefix of all query keys of a store. */
export function storeKey(store: SessionStore): readonly unknown[] {
  return sessionsKey(store).slice(0, 3);
}
