import type { SessionHost } from '@vitrine/server';

/** The hosts that are proved. */
export type HostKind = 'sqlite' | 'dbos';

export type HostPlace = {
  readonly kind: HostKind;
  /** The file of SQLite, or the address of PostgreSQL. */
  readonly at: string;
  readonly deadMs: number;
  /** The deaths in a row after which a session ends as failed; undefined for the default of the host. */
  readonly mostDeaths: number | undefined;
};

/** Opens a host over a file or a database. */
export async function openHost({ kind, at, deadMs, mostDeaths }: HostPlace): Promise<SessionHost> {
  const deaths = mostDeaths === undefined ? {} : { mostDeaths };
  // A process loads the engine that it uses: most of the time of a restart goes there.
  if (kind === 'dbos') {
    const { dbosHost } = await import('@vitrine/server/dbos');
    return dbosHost({ url: at, version: '1', deadMs, ...deaths });
  }
  const { sqliteHost } = await import('@vitrine/server/sqlite');
  return sqliteHost({ path: at, ...deaths });
}
