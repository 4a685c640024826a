import { wrongSetting } from '../kit/env-record.ts';

type PostgresResult = { readonly rows: readonly Record<string, unknown>[] };

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

/** The prefix, which is put into statements unescaped. @throws AgentError `agent-invalid` for one that does not fit */
export function checkPrefix(what: string, prefix: string): string {
  if (/^[a-z_][a-z0-9_]{0,30}$/.test(prefix)) return prefix;
  const message = `${what}: the prefix ${JSON.stringify(prefix)} is no name of small letters, digits and "_". Give one of at most 31 characters.`;
  throw wrongSetting(message);
}

/** Runs the preparation of a database with the first call, and again with the next one after a failure. */
export function untilPrepared(prepare: () => Promise<unknown>): () => Promise<void> {
  let preparing: Promise<unknown> | null = null;
  return async () => {
    preparing ??= prepare();
    await preparing.catch((error: unknown) => {
      preparing = null;
      throw error;
    });
  };
}
