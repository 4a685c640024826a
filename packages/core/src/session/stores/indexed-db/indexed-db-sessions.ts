import { indexedDBRows, type IndexedDBSessionsOptions } from './indexed-db-rows.ts';
import { rowSessions } from '../rows/row-sessions.ts';
import type { FullSessionStore } from '../session-store.ts';

/**
 * Creates a store in IndexedDB. It has as much room as the browser gives, mostly more than half of the free
 * disk.
 * Its durability is `process-crash`: a write survives a killed browser, while a loss of power is not covered.
 * Each write is one transaction; whole writes, and those that a tool waits for, use strict durability. The
 * library is loaded with the first call.
 */
export function indexedDBSessions(options: IndexedDBSessionsOptions = {}): FullSessionStore {
  return rowSessions(indexedDBRows(options));
}
