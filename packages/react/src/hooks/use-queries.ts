'use client';

import { QueryClient, QueryClientContext } from '@tanstack/react-query';
import { useContext } from 'react';

let clientOfPage: QueryClient | null = null;

/** The query client of the nearest provider; without one, a client that this page shares. */
export function useQueries(): QueryClient {
  return useContext(QueryClientContext) ?? pageClient();
}

function pageClient(): QueryClient {
  // A server renders for several people, who must not share what was read.
  if (typeof document === 'undefined') return new QueryClient();
  if (clientOfPage === null) {
    clientOfPage = new QueryClient();
    clientOfPage.mount();
  }
  return clientOfPage;
}
