import { localStorageSessions, type SessionStore } from '@vitrine/react';
import { openedWithAgents } from '../agents/whole-agent.ts';
import type { Place } from './settings.ts';

const name = 'vitrine-demo';
const made = new Map<Place, Promise<SessionStore>>();

/** The store of a place, created once on first use. */
export function storeOf(place: Place): Promise<SessionStore> {
  const store = made.get(place) ?? makeStore(place);
  made.set(place, store);
  return store;
}

async function makeStore(place: Place): Promise<SessionStore> {
  if (place === 'local-storage') return openedWithAgents(localStorageSessions({ prefix: name }));
  // Loaded on demand, because most pages do not need it.
  const { indexedDBSessions } = await import('./indexed-db.ts');
  return openedWithAgents(indexedDBSessions({ name }));
}

/** The place in the address (`?store=indexeddb`), which overrides the settings. */
export function placeInAddress(): Place | null {
  return new URLSearchParams(window.location.search).get('store') === 'indexeddb' ? 'indexed-db' : null;
}
