import { indexedDBRows, type IndexedDBSessionsOptions } from './indexed-db-rows.ts';
import { rowSessions } from '../rows/row-sessions.ts';
import type { FullSessionStore } from '../session-store.ts';

/**
 * Keeps sessions in IndexedDB: as much as the browser gives (mostly more than half of the free disk), and
 * `process-crash`: what is written survives a killed browser; the loss of power is not claimed. A write is one
 * transaction; whole writes and those that a tool waits for are made with strict durability. Its library is loaded
 * with the first call.
 */
export function indexedDBSessions(options: IndexedDBSessionsOptions = {}): FullSessionStore {
  return rowSessions(indexedDBRows(options));
}
