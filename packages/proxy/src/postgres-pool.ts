/** What a query gives. */
export type PostgresResult = { readonly rows: readonly Record<string, unknown>[] };

/** As much of a pool of the package `pg` (8 or newer) as is needed: a `Pool` fits. */
export type PostgresPool = {
  readonly query: (text: string, values?: unknown[]) => Promise<PostgresResult>;
  readonly connect: () => Promise<PostgresConnection>;
};

/** A connection taken out of the pool, to listen on. */
export type PostgresConnection = {
  readonly query: (text: string) => Promise<unknown>;
  readonly on: {
    (event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
    (event: 'error' | 'end', listener: () => void): unknown;
  };
  readonly release: (destroy?: boolean) => void;
};
