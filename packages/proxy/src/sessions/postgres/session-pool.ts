/** As much of a pool of the package `pg` (8.11 or newer) as is needed: a `Pool` fits. */
export type SessionPool = {
  readonly query: (
    text: string,
    values?: unknown[],
  ) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
};
