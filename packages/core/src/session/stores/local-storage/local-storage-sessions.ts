import { localStorageRows, type LocalStorageSessionsOptions } from './local-storage-rows.ts';
import { rowSessions } from '../rows/row-sessions.ts';
import type { FullSessionStore } from '../session-store.ts';

/**
 * Creates a store in localStorage, with about 5 MB for everything. Every write is atomic, also when it is
 * interrupted or the storage is full. Tabs take turns by a Web Lock where there is one.
 * Its durability is `eventual`: a killed browser loses recent writes, 20 s in the median and up to 49 s as
 * measured with Chromium. A page or tab that crashes loses nothing.
 */
export function localStorageSessions(options: LocalStorageSessionsOptions = {}): FullSessionStore {
  return rowSessions(localStorageRows(options));
}
