import { clearSessions } from '@vitrine/react';
import type { Place } from './settings.ts';
import { storeOf } from './stores.ts';

const places: readonly Place[] = ['local-storage', 'indexed-db'];

/** Deletes all sessions with their files, and all settings, from this browser. */
export async function clearAll(): Promise<void> {
  for (const place of places) await clearSessions(await storeOf(place));
  for (const key of Object.keys(localStorage))
    // Those of the server's client are what was sent offline.
    if (key.startsWith('vitrine-demo') || key.startsWith('vitrine:server:')) localStorage.removeItem(key);
}
