import type { SessionHost } from '@vitrine/server';
import { dbosHost } from '@vitrine/server/dbos';
import { sqliteHost } from '@vitrine/server/sqlite';

/** The hosts that are proved. */
export type HostKind = 'sqlite' | 'dbos';

/**
 * Opens a host over a file or a database. Processes die here by no fault of a session, so none is ended for that.
 */
export function openHost(kind: string, place: string, deadMs: number): SessionHost {
  const mostDeaths = 1_000_000;
  return kind === 'dbos'
    ? dbosHost({ url: place, version: '1', deadMs, mostDeaths })
    : sqliteHost({ path: place, mostDeaths });
}
