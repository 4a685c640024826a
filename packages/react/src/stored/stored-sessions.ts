import type { SessionStore } from '@vitrine/core';

const storeNumbers = new WeakMap<SessionStore, number>();
let nextNumber = 1;

/** The query key of a store's list of sessions, or of one session. */
export function sessionsKey(store: SessionStore, id?: string): readonly unknown[] {
  const number = storeNumbers.get(store) ?? nextNumber++;
  storeNumbers.set(store, number);
  return ['vitrine', 'sessions', number, ...(id === undefined ? ['list'] : ['one', id])];
}

/** The common prefix of all query keys of a store. */
export function storeKey(store: SessionStore): readonly unknown[] {
  return sessionsKey(store).slice(0, 3);
}
