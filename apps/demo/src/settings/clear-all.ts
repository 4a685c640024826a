import { clearSessions } from '@vitrine/react';
import type { Place } from './settings.ts';
import { storeOf } from './stores.ts';

const places: readonly Place[] = ['local-storage', 'indexed-db'];

/** Deletes all sessions with their files, and all settings, from this browser. */
export async function clearAll(): Promise<void> {
  for (const place of places) await clearSessions(await storeOf(place));
  for (const key of Object.keys(localStorage))
    if (key.startsWith('vitrine-demo')) localStorage.removeItem(key);
}
