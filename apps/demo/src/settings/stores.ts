import { indexedDBSessions, localStorageSessions, type SessionStore } from '@vitrine/react';
import type { Place } from './settings.ts';

const name = 'vitrine-demo';
const made = new Map<Place, SessionStore>();

/** The store of a place: one for the page, made when it is first asked for. */
export function storeOf(place: Place): SessionStore {
  const store = made.get(place) ?? makeStore(place);
  made.set(place, store);
  return store;
}

function makeStore(place: Place): SessionStore {
  return place === 'indexed-db' ? indexedDBSessions({ name }) : localStorageSessions({ prefix: name });
}

/** The place that the address asks for, which goes before what is set: `?store=indexeddb`. */
export function placeInAddress(): Place | null {
  return new URLSearchParams(window.location.search).get('store') === 'indexeddb' ? 'indexed-db' : null;
}
