import { storeOf } from './stores.ts';
import type { Place } from './settings.ts';

const places: readonly Place[] = ['local-storage', 'indexed-db'];

/** Erases all sessions with their files, and all that was set, from this browser. */
export async function clearAll(): Promise<void> {
  for (const place of places) {
    const store = await storeOf(place);
    const { sessions } = await store.list();
    const deleted = await store.list({ status: 'deleted' });
    for (const { id } of [...sessions, ...deleted.sessions]) await store.remove(id);
  }
  for (const key of Object.keys(localStorage))
    if (key.startsWith('vitrine-demo')) localStorage.removeItem(key);
}
