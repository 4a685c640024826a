import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';

const client = new QueryClient();

/** The query client for stores and the server, shared by the whole page. */
export function WithQueries({ children }: { readonly children: ReactNode }): ReactNode {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
