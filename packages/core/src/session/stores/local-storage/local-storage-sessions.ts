import { localStorageRows, type LocalStorageSessionsOptions } from './local-storage-rows.ts';
import { rowSessions } from '../rows/row-sessions.ts';
import type { FullSessionStore } from '../session-store.ts';

/**
 * Keeps sessions in localStorage: about 5 MB for all, and only `eventual`: a browser that is killed loses what it has
 * not got round to writing, 20 s in the median and up to 49 s as measured with Chromium; a page or a tab that crashes
 * loses nothing. Every write is whole, also when it is cut short or the storage is full. Several tabs take turns by a
 * Web Lock where there is one.
 */
export function localStorageSessions(options: LocalStorageSessionsOptions = {}): FullSessionStore {
  return rowSessions(localStorageRows(options));
}
