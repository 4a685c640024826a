import { type AgentSessionOptions, memorySessions, type SessionStore } from '@vitrine/core';
import { warnOnce } from './development.ts';
import { createSharedSession, type SharedSession } from './shared-session.ts';

/**
 * The entry of a named session. It is weak until the session is mounted or has work, so that an abandoned
 * render leaves nothing behind and no timer is needed.
 */
type Slot = { readonly weak: WeakRef<SharedSession>; held: SharedSession | null };

/** A place where sessions are stored, and the store object that represents it in this page. */
type Place = {
  readonly store: SessionStore;
  /** The mounted components, each as a token. */
  readonly users: Set<object>;
  /** The store that the first mounted component was given; null until one is mounted. */
  first: SessionStore | null;
};

const places = new Map<string, Place>();
const slots = new WeakMap<SessionStore, Map<string, Slot>>();
let sharedMemory: SessionStore | null = null;

const isServer = (): boolean => typeof window === 'undefined';

/**
 * Returns the store object that represents a place: the first one given, while components use it or it has
 * running sessions. Safe during a render.
 */
export function firstStoreOf(given: SessionStore): SessionStore {
  const { identity } = given;
  if (identity == null || isServer()) return given;
  const known = places.get(identity);
  if (known !== undefined && (known.first === null || isAtWork(known))) return known.store;
  places.set(identity, { store: given, users: new Set(), first: null });
  return given;
}

function isAtWork({ store, users }: Place): boolean {
  return users.size > 0 || [...(slots.get(store)?.values() ?? [])].some(({ held }) => held !== null);
}

/**
 * Registers a component as a user of a store, until the returned function is called. Development builds
 * warn when a place gets a second store object.
 */
export function attachStore(store: SessionStore, given: SessionStore): () => void {
  const place = places.get(given.identity ?? '');
  if (place?.store !== store) return () => undefined;
  const user = {};
  place.first ??= given;
  place.users.add(user);
  if (place.first !== given) warnOnce(place, ({ sameStore }) => sameStore(given.identity ?? ''));
  return () => void place.users.delete(user);
}

/**
 * Returns the one session of a store and an id, and creates it when there is none. Safe during a render.
 * Without a store the session lives in the page's memory. On a server every render has its own.
 */
export function namedSession(
  id: string,
  sessions: SessionStore | null,
  options: AgentSessionOptions,
): SharedSession {
  if (isServer())
    return createSharedSession({ ...options, sessionId: id, sessions: sessions ?? memorySessions() });
  const store = sessions ?? pageMemory();
  const known = openSession(id, store);
  if (known) return known;
  const named = slotsOf(store);
  const shared = createSharedSession({ ...options, sessionId: id, sessions: store }, (isHeld) => {
    slot.held = isHeld ? shared : null;
    // Another session can have replaced this one only when nothing could reach this one.
    if (isHeld) named.set(id, slot);
  });
  const slot: Slot = { weak: new WeakRef(shared), held: null };
  named.set(id, slot);
  return shared;
}

/** The store of named sessions without a store; it lives as long as the page. */
function pageMemory(): SessionStore {
  return (sharedMemory ??= memorySessions());
}

/** Finds the session of a store and an id among those of this page; null when there is none. */
export function openSession(id: string, sessions: SessionStore): SharedSession | null {
  const slot = slots.get(sessions)?.get(id);
  return slot?.held ?? slot?.weak.deref() ?? null;
}

function slotsOf(store: SessionStore): Map<string, Slot> {
  const known = slots.get(store) ?? new Map<string, Slot>();
  slots.set(store, known);
  for (const [id, { held, weak }] of known) if (held === null && weak.deref() === undefined) known.delete(id);
  return known;
}

/**
 * The anonymous sessions of one component, one for each store that it was given. Only the component holds
 * them.
 */
export type OwnSessions = {
  readonly get: (sessions: SessionStore | null, options: AgentSessionOptions) => SharedSession;
};

/**
 * Creates the anonymous sessions that a component keeps in its React state. They survive StrictMode,
 * `<Activity>` and route caches.
 */
export function createOwnSessions(): OwnSessions {
  const own = new Map<SessionStore | null, SharedSession>();
  return {
    get(sessions, options) {
      const known = own.get(sessions);
      if (known) return known;
      // A fork has an id. Without a store, it goes to the page's memory, where that id can be opened.
      const place = sessions === null ? { forks: isServer() ? undefined : pageMemory() } : { sessions };
      const shared = createSharedSession({ ...options, ...place });
      own.set(sessions, shared);
      return shared;
    },
  };
}
