/** The result of a query. */
export type PostgresResult = { readonly rows: readonly Record<string, unknown>[] };

/** The part of a `pg` pool (version 8 or newer) that is used. A `Pool` fits. */
export type PostgresPool = {
  readonly query: (text: string, values?: unknown[]) => Promise<PostgresResult>;
  readonly connect: () => Promise<PostgresConnection>;
};

/** A connection that is taken out of the pool to listen on. */
export type PostgresConnection = {
  readonly query: (text: string) => Promise<unknown>;
  readonly on: {
    (event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
    (event: 'error' | 'end', listener: () => void): unknown;
  };
  readonly release: (destroy?: boolean) => void;
};
